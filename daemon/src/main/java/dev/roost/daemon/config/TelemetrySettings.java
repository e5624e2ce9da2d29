package dev.roost.daemon.config;

import dev.roost.base.TextFormat;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code [telemetry]}: the collector of traces, the headers for it, and whether traces may contain texts of runs. */
public record TelemetrySettings(URI traces, Map<String, String> headers, boolean content) {

    static final String TABLE = "telemetry";

    private static final String PATH = "/v1/traces";
    private static final String SIGNAL = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    private static final String BASE = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
    private static final Pattern SCHEME = Pattern.compile("^https?(?=:)", Pattern.CASE_INSENSITIVE);
    private static final String ADDRESS = "an address like http://127.0.0.1:4318 (OTLP over HTTP)";

    /**
     * Empty if no collector is set. The standard OpenTelemetry variables apply where the file sets nothing. An unusable variable
     * may be meant for other programs, so it is only noted in {@code remarks}.
     */
    static Optional<TelemetrySettings> of(SettingsTable table, Map<String, String> environment, List<String> remarks) {
        boolean content = table.flag("content").orElse(false);
        var own = table.text("otlp");
        var named = table.textsByName("headers");
        if (own.isPresent()) {
            var address = address(withPath(own.get())).orElseThrow(() -> table.wrong("otlp", ADDRESS));
            var headers = standardHeaders(environment, remarks);
            headers.putAll(named);
            return Optional.of(new TelemetrySettings(address, headers, content));
        }
        var variable = environment.containsKey(SIGNAL) ? SIGNAL : BASE;
        var fromEnvironment = environment.getOrDefault(variable, "");
        if (fromEnvironment.isBlank()) return Optional.empty();
        var address = address(variable.equals(BASE) ? withPath(fromEnvironment) : fromEnvironment);
        if (address.isEmpty()) remarks.add(variable + " is not " + ADDRESS + ", so there are no traces");
        var headers = standardHeaders(environment, remarks);
        headers.putAll(named);
        return address.filter(_ -> remarks.isEmpty()).map(uri -> new TelemetrySettings(uri, headers, content));
    }

    private static String withPath(String base) {
        if (base.isBlank() || base.endsWith(PATH)) return base;
        return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + PATH;
    }

    private static Optional<URI> address(String text) {
        try {
            var lower = SCHEME.matcher(text.strip())
                    .replaceFirst(scheme -> scheme.group().toLowerCase(Locale.ROOT));
            var address = new URI(lower);
            boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
            if (web && address.getHost() != null && address.getRawUserInfo() == null) return Optional.of(address);
        } catch (URISyntaxException e) {
            // the caller reports it
        }
        return Optional.empty();
    }

    private static Map<String, String> standardHeaders(Map<String, String> environment, List<String> remarks) {
        var headers = new LinkedHashMap<String, String>();
        for (var pair : environment.getOrDefault(HEADERS, "").split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) continue;
            var name = pair.substring(0, equals).strip();
            decoded(pair.substring(equals + 1))
                    .filter(value -> isHeader(name, value))
                    .ifPresentOrElse(
                            value -> headers.put(name, value),
                            () -> remarks.add("%s has a header that cannot be sent: %s"
                                    .formatted(HEADERS, TextFormat.printable(name))));
        }
        return headers;
    }

    private static Optional<String> decoded(String value) {
        try {
            return Optional.of(URLDecoder.decode(value.strip().replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether the HTTP client accepts the header. */
    private static boolean isHeader(String name, String value) {
        try {
            HttpRequest.newBuilder().header(name, value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
