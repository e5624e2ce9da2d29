package dev.roost.daemon.http;

import dev.roost.daemon.api.LoopbackAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

/** The address and the names of the listener. */
public record ListenAddress(InetAddress address, int port, boolean tls, List<String> names) {

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    String scheme() {
        return tls ? "https://" : "http://";
    }

    /** The URL of the listener, such as {@code http://127.0.0.1:24077}. */
    public String text() {
        boolean byName = tls || !address.isLoopbackAddress(); // a certificate is for a name
        var host = names.stream()
                .filter(_ -> byName)
                .findFirst()
                .orElseGet(() -> address.isAnyLocalAddress() ? "127.0.0.1" : literal());
        return "%s%s:%d".formatted(scheme(), host, port);
    }

    private String literal() {
        return address instanceof Inet6Address ? "[%s]".formatted(address.getHostAddress()) : address.getHostAddress();
    }

    /** Whether a Host header names this listener: by a loopback address, by the configured address or by a configured name. */
    boolean isOurs(String host) {
        int defaultPort = tls ? HTTPS : HTTP;
        if (LoopbackAddress.parse(host, defaultPort)
                .filter(one -> one.port() == port)
                .isPresent()) return true;
        var asked = host.strip().toLowerCase(Locale.ROOT);
        var end = ":" + port;
        var name = asked.endsWith(end) ? asked.substring(0, asked.length() - end.length()) : asked;
        if (port != defaultPort && name.equals(asked)) return false;
        return isOurAddress(name) || names.stream().anyMatch(one -> name.equals(one.toLowerCase(Locale.ROOT)));
    }

    /** Compares parsed addresses, because an address has more than one spelling. */
    private boolean isOurAddress(String name) {
        if (address.isAnyLocalAddress()) return false;
        boolean six = name.startsWith("[") && name.endsWith("]");
        if (six != address instanceof Inet6Address) return false;
        try {
            return InetAddress.ofLiteral(six ? name.substring(1, name.length() - 1) : name)
                    .equals(address);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    boolean isOurOrigin(String origin) {
        return origin.startsWith(scheme()) && isOurs(origin.substring(scheme().length()));
    }
}
