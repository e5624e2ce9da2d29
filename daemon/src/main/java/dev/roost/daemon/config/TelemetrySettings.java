package dev.roost.daemon.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** {@code [telemetry]}: where traces go, with which headers, and whether what was said may go with them. */
public record TelemetrySettings(URI traces, Map<String, String> headers, boolean content) {

    static final String TABLE = "telemetry";

    private static final String PATH = "/v1/traces";

    /** Empty if nobody wants traces. What every OpenTelemetry program hears on, this one does too, after its own file. */
    static Optional<TelemetrySettings> of(Settings table, Map<String, String> environment) {
        var own = table.text("otlp");
        var signal = Optional.ofNullable(environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"));
        var base = Optional.ofNullable(environment.get("OTEL_EXPORTER_OTLP_ENDPOINT"));
        var address = own.or(() -> base).map(TelemetrySettings::withPath);
        if (own.isEmpty()) address = signal.or(() -> base.map(TelemetrySettings::withPath));
        return address.filter(text -> !text.isBlank())
                .map(text -> new TelemetrySettings(
                        address(table, text),
                        headers(table, environment),
                        table.flag("content").orElse(false)));
    }

    private static String withPath(String base) {
        if (base.isBlank() || base.endsWith(PATH)) return base;
        return (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + PATH;
    }

    private static URI address(Settings table, String text) {
        try {
            var address = new URI(text.strip());
            boolean web = "http".equalsIgnoreCase(address.getScheme()) || "https".equalsIgnoreCase(address.getScheme());
            if (web && address.getHost() != null && address.getRawUserInfo() == null) return address;
        } catch (URISyntaxException e) {
            // said below
        }
        throw table.wrong("otlp", "an address like http://127.0.0.1:4318 (OTLP over HTTP)");
    }

    private static Map<String, String> headers(Settings table, Map<String, String> environment) {
        var headers = new LinkedHashMap<String, String>();
        for (var pair :
                environment.getOrDefault("OTEL_EXPORTER_OTLP_HEADERS", "").split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0) continue;
            headers.put(
                    pair.substring(0, equals).strip(),
                    URLDecoder.decode(pair.substring(equals + 1).strip().replace("+", "%2B"), StandardCharsets.UTF_8));
        }
        headers.putAll(table.textsByName("headers"));
        return headers;
    }
}
