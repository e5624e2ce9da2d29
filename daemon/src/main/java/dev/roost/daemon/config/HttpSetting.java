package dev.roost.daemon.config;

import dev.roost.daemon.api.LoopbackAddress;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where the daemon listens for HTTP: nowhere, at a configured address, or on a port that it chose once. */
public sealed interface HttpSetting {

    String NAMES = "http_names";
    String CERTIFICATE = "http_certificate";
    String KEY = "http_key";

    record Disabled() implements HttpSetting {}

    record LoopbackPort(LoopbackAddress address) implements HttpSetting {}

    /** An address with TLS, or one that other machines can reach, or both; {@code names} are further names of the host. */
    record PublicAddress(InetAddress address, int port, Optional<Tls> tls, List<String> names) implements HttpSetting {}

    /** PEM files with the certificate chain and its key; {@code where} is the place in the configuration that names them. */
    record Tls(Path certificate, Path key, String where) {}

    record AutomaticPort() implements HttpSetting {}

    static HttpSetting of(SettingsTable settings) {
        var text = settings.text("http");
        var tls = tls(settings);
        var names = names(settings);
        boolean insecure = settings.flag("http_insecure").orElse(false);
        boolean fixed = text.isPresent() && !text.get().equals("off");
        if (!fixed && (tls.isPresent() || !names.isEmpty()))
            throw settings.wrong(tls.isPresent() ? CERTIFICATE : NAMES, "of use without an address in http");
        if (text.isEmpty()) return new AutomaticPort();
        if (text.get().equals("off")) return new Disabled();
        var here = LoopbackAddress.parse(text.get(), 0);
        if (here.isPresent() && tls.isEmpty() && names.isEmpty()) return new LoopbackPort(here.get());
        var open = here.map(one -> new PublicAddress(one.address(), one.port(), tls, names))
                .or(() -> literalAddress(text.get()).map(one -> new PublicAddress(one.address, one.port, tls, names)))
                .orElseThrow(() -> settings.wrong("http", LOOPBACK_ONLY));
        if (here.isEmpty() && tls.isEmpty() && !insecure) throw settings.wrong("http", LOOPBACK_ONLY + NOT_ENCRYPTED);
        return open;
    }

    String LOOPBACK_ONLY = "off, or an address that only this machine can reach, such as 127.0.0.1:7077";

    String NOT_ENCRYPTED = "; at another address, tokens and all output of agents would be sent unencrypted,"
            + " unless http_certificate and http_key are set, or http_insecure = true because something else encrypts the connection";

    private static Optional<Tls> tls(SettingsTable settings) {
        var certificate = settings.text(CERTIFICATE).map(Path::of);
        var key = settings.text(KEY).map(Path::of);
        if (certificate.isPresent() && key.isEmpty()) throw settings.wrong(CERTIFICATE, "complete without " + KEY);
        if (key.isPresent() && certificate.isEmpty()) throw settings.wrong(KEY, "complete without " + CERTIFICATE);
        return certificate.map(one -> new Tls(one, key.orElseThrow(), settings.where(CERTIFICATE)));
    }

    private static List<String> names(SettingsTable settings) {
        var shape = Pattern.compile("[A-Za-z0-9.-]{1,253}|\\[[0-9a-fA-F:.]+]");
        var names = settings.texts(NAMES);
        if (names.stream().allMatch(name -> shape.matcher(name).matches())) return names;
        throw settings.wrong(NAMES, "a list of names or addresses without a port, such as [\"roost.example.net\"]");
    }

    record PublicEndpoint(InetAddress address, int port) {}

    /** Parses an IP address with a port. Host names are refused, since they would need a DNS query. */
    private static Optional<PublicEndpoint> literalAddress(String text) {
        var shape = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[0-9.]+):(\\d{1,5})").matcher(text.strip());
        if (!shape.matches()) return Optional.empty();
        int port = Integer.parseInt(shape.group(2));
        if (port < 1 || port > 65_535) return Optional.empty();
        var host = shape.group(1);
        try {
            var address = InetAddress.ofLiteral(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
            return Optional.of(new PublicEndpoint(address, port));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
