package dev.roost.cluster.db;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.postgresql.ds.PGSimpleDataSource;

/** The database's address, {@code postgresql://user@host:port/name?sslmode=…}; several hosts for failover. */
public record DatabaseAddress(String jdbc, Map<String, String> settings) {

    private static final int CONNECT_SECONDS = 5;
    private static final int ANSWER_SECONDS = 20;

    public static DatabaseAddress parse(String text) {
        return parse(text, System.getenv());
    }

    /** If no password is given, the driver reads the file PGPASSFILE or ~/.pgpass itself. */
    static DatabaseAddress parse(String text, Map<String, String> environment) {
        if (!text.startsWith("postgresql://") && !text.startsWith("postgres://"))
            throw wrong("does not begin with postgresql://");
        String rest = text.substring(text.indexOf("://") + 3);
        var settings = new LinkedHashMap<String, String>();
        int query = rest.indexOf('?');
        if (query >= 0) {
            for (var pair : rest.substring(query + 1).split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals <= 0) throw wrong("has a setting without a value");
                settings.put(pair.substring(0, equals), decoded(pair.substring(equals + 1)));
            }
            rest = rest.substring(0, query);
        }
        int slash = rest.indexOf('/');
        if (slash < 0 || slash == rest.length() - 1) throw wrong("has no database name");
        String hosts = rest.substring(0, slash);
        String name = decoded(rest.substring(slash + 1));
        int at = hosts.lastIndexOf('@');
        if (at >= 0) {
            var user = hosts.substring(0, at).split(":", 2);
            settings.put("user", decoded(user[0]));
            if (user.length == 2) settings.put("password", decoded(user[1]));
            hosts = hosts.substring(at + 1);
        }
        var password = environment.getOrDefault("PGPASSWORD", "");
        if (!password.isEmpty()) settings.putIfAbsent("password", password);
        if (hosts.contains(",")) settings.putIfAbsent("targetServerType", "primary");
        try {
            return new DatabaseAddress(
                    "jdbc:postgresql://%s/%s".formatted(hosts, new URI(null, name, null).getRawSchemeSpecificPart()),
                    settings);
        } catch (URISyntaxException e) {
            throw wrong("has a database name that is not valid");
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Does not print the address, which may contain a password. */
    private static RoostError wrong(String what) {
        return ErrorCode.BAD_LEDGER_ADDRESS.error("The address of the ledger %s.".formatted(what));
    }

    /** Connections that time out on a dead network, and that the database ends if they idle in a transaction. */
    public PGSimpleDataSource source(String program, int mostIdleMillis) {
        var source = new PGSimpleDataSource();
        source.setUrl(jdbc);
        source.setConnectTimeout(CONNECT_SECONDS);
        source.setSocketTimeout(ANSWER_SECONDS);
        source.setTcpKeepAlive(true);
        source.setApplicationName(program);
        source.setPrepareThreshold(3);
        settings.forEach((name, value) -> set(source, name, value));
        source.setOptions(options(mostIdleMillis));
        return source;
    }

    /** Roost's options come last and so take precedence: a write must see what was committed before it got its locks. */
    private String options(int mostIdleMillis) {
        return "%s -c idle_in_transaction_session_timeout=%d -c timezone=UTC -c default_transaction_isolation=read\\ committed"
                .formatted(settings.getOrDefault("options", ""), mostIdleMillis)
                .strip();
    }

    /** Connections without a socket timeout, for long statements such as a change to a big table. */
    public PGSimpleDataSource withoutTimeout(String program) {
        var source = source(program, 0);
        source.setSocketTimeout(0);
        return source;
    }

    /** Connections whose operations fail after {@code soon}. */
    public PGSimpleDataSource withTimeout(String program, Duration soon) {
        var source = source(program, Math.toIntExact(soon.toMillis()));
        int seconds = Math.max(1, Math.toIntExact(soon.toSeconds()));
        source.setConnectTimeout(seconds);
        source.setSocketTimeout(seconds);
        return source;
    }

    private static void set(PGSimpleDataSource source, String name, String value) {
        try {
            source.setProperty(name, value);
        } catch (SQLException e) {
            throw wrong("has an unknown setting: " + name);
        }
    }

    /** Whether the server's certificate is verified. */
    public boolean verifies() {
        return String.valueOf(settings.get("sslmode")).startsWith("verify-");
    }

    /** For people; without the password. */
    @Override
    public String toString() {
        return jdbc.substring("jdbc:".length())
                + (settings.containsKey("user") ? " as " + Objects.requireNonNull(settings.get("user")) : "");
    }
}
