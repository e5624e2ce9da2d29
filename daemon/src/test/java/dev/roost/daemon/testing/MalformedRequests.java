package dev.roost.daemon.testing;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Makes malformed requests from a seed. */
public final class MalformedRequests {

    private static final String[] ROUTES = {
        "/runs",
        "/runs/x",
        "/runs/x/stop",
        "/runs/x/send",
        "/runs/x/output",
        "/owners",
        "/notices",
        "/notices/acknowledge",
        "/pauses",
        "/agents",
        "/spend",
        "/events",
        "/openapi.json",
        "",
        "/",
        "/../token",
        "/runs/../../mcp",
        "/runs//x",
        "/nothing"
    };
    private static final String[] METHODS = {
        "GET",
        "POST",
        "HEAD",
        "PUT",
        "DELETE",
        "PATCH",
        "OPTIONS",
        "TRACE",
        "CONNECT",
        "get",
        "BREW",
        "PRI",
        "G\u0000T",
        "GET\t",
        ""
    };
    private static final String[] FIELDS = {
        "filter",
        "owner",
        "agent",
        "status",
        "q",
        "limit",
        "cursor",
        "attempt",
        "block",
        "timeout_ms",
        "since",
        "after",
        "cwd",
        "prompt",
        "name",
        "env",
        "isolation",
        "max_time",
        "max_tokens",
        "max_cost_usd",
        "max_turns",
        "on_loss",
        "on",
        "notify",
        "message",
        "reason",
        "notice_ids",
        "description",
        "run_id",
        "session_id",
        "follow",
        "caller",
        "operator",
        "path",
        "__proto__",
        "nonsense"
    };
    private static final String[] VALUES = {
        "",
        "-1",
        "0",
        "1",
        "99999999999999999999",
        "999999999d",
        "0ms",
        "1e999",
        "NaN",
        "true",
        "yes",
        "null",
        "%00",
        "%ff%fe",
        "%c0%ae%c0%ae",
        "..%2f..%2ftoken",
        "%25%25",
        "' OR 1=1 --",
        "%27%20OR%201=1--",
        "claude:other",
        "r_",
        "r_~",
        "%F0%9F%90%93",
        "a".repeat(3000),
        "+",
        "&=&",
        "all",
        "unread",
        "completed",
        "command",
        "/",
        "/etc",
        "[]",
        "{}",
        "%0d%0aX-Injected:%201",
        "*",
        "n_1",
        "30m",
        "2147483648",
        "%"
    };
    private static final String[] JSON = {
        "",
        "{",
        "}",
        "[",
        "]",
        "null",
        "true",
        "1",
        "\"x\"",
        "{}",
        "[{}]",
        "{\"a\":}",
        "{'a':1}",
        "{\"a\":1,}",
        "{\"a\":1}{\"b\":2}",
        "\ufeff{}",
        "NaN",
        "{\"prompt\":\"\\ud800\"}",
        "{\"prompt\":\"a\\u0000b\",\"agent\":\"command\"}",
        "{\"prompt\":{\"a\":1}}",
        "{\"prompt\":[1,2]}",
        "{\"prompt\":1e400}",
        "{\"name\":\"\\u001b[31m\",\"prompt\":\"true\",\"agent\":\"command\"}",
        "{\"max_tokens\":-1,\"prompt\":\"true\"}",
        "{\"max_tokens\":1e30,\"prompt\":\"true\"}",
        "{\"max_time\":\"999999999d\",\"prompt\":\"true\"}",
        "{\"max_cost_usd\":1e308,\"prompt\":\"true\"}",
        "{\"notice_ids\":[1]}",
        "{\"notice_ids\":\"n_1\"}",
        "{\"notice_ids\":[\"n_999999999999999\"]}",
        "{\"env\":{\"A\":1}}",
        "{\"env\":{\"\":\"x\"},\"prompt\":\"true\"}",
        "{\"message\":\"\"}",
        "{\"message\":null}",
        "{\"cwd\":\"\\u0000\",\"prompt\":\"true\",\"agent\":\"command\"}",
        "{\"cwd\":\"../../..\",\"prompt\":\"true\",\"agent\":\"command\"}",
        "{\"isolation\":\"worktree\",\"prompt\":\"true\",\"agent\":\"command\"}",
        "{\"prompt\":\"true\",\"prompt\":2}",
        "{\"owner\":\"claude:other\",\"prompt\":\"true\"}",
        "{\"reason\":\"\\u202e\\u0007\"}"
    };

    /** What there is, with the fields that it takes. */
    private static final String[][] RIGHT = {
        {"GET", "/runs", "filter", "owner", "agent", "status", "q", "limit", "cursor"},
        {"GET", "/runs/x"},
        {"GET", "/runs/x/output", "cursor", "attempt", "block", "timeout_ms"},
        {"GET", "/notices", "owner"},
        {"GET", "/pauses", "owner", "since"},
        {"GET", "/spend", "owner", "since"},
        {"GET", "/agents", "cwd"},
        {"GET", "/owners"},
        {"POST", "/runs", "prompt", "description", "agent", "name", "owner", "cwd", "isolation", "env", "max_time"},
        {"POST", "/runs", "prompt", "agent", "max_tokens", "max_cost_usd", "max_turns", "on_loss", "on", "notify"},
        {"POST", "/runs/x/stop", "reason"},
        {"POST", "/runs/x/send", "message"},
        {"POST", "/notices/acknowledge", "notice_ids"}
    };

    private static final String[] WORDS = {
        "\"true\"",
        "\"command\"",
        "\"\"",
        "1",
        "-1",
        "1.5",
        "1e99",
        "true",
        "null",
        "[]",
        "{}",
        "[\"n_1\"]",
        "[[]]",
        "{\"A\":\"b\"}",
        "{\"A=B\":\"\\u0000\"}",
        "\"\\u0000\"",
        "\"\\ud83d\"",
        "\"30m\"",
        "\"999999999d\"",
        "\"../..\"",
        "\"/\"",
        "\"worktree\"",
        "\"resume\"",
        "\"changes\"",
        "\"claude:other\"",
        "\"deny\"",
        "\"\\u202e\\u001b[2J\"",
        "9223372036854775807",
        "9223372036854775808",
        "\"r_x\"",
        "\"-x\""
    };

    private final Random random;
    private final String token;
    private final String host;
    private final String[] runs;

    public MalformedRequests(long seed, String token, String host, String... runs) {
        this.random = new Random(seed);
        this.token = token;
        this.host = host;
        this.runs = runs;
    }

    private String one(String[] of) {
        return of[random.nextInt(of.length)];
    }

    private boolean sometimes(int in) {
        return random.nextInt(in) == 0;
    }

    private String noise(int most) {
        var text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) text.append((char) random.nextInt(256));
        return text.toString();
    }

    /** An address with something odd about it; a well-formed one, so that clients send it. */
    String address() {
        var path = one(ROUTES).replace("x", sometimes(2) ? one(runs) : sometimes(2) ? "%2e%2e" : "%00%f0%9f%90%93");
        var query = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--)
            query.append(query.isEmpty() ? '?' : '&')
                    .append(one(FIELDS))
                    .append('=')
                    .append(one(VALUES));
        return RestApiFixture.API + path + query;
    }

    String body() {
        if (sometimes(10)) return "[".repeat(1 + random.nextInt(20_000));
        if (sometimes(10)) return "{\"prompt\":".repeat(1 + random.nextInt(3000));
        if (sometimes(10)) return "{\"%s\":%s}".formatted(one(FIELDS), one(JSON));
        if (sometimes(20)) return "{\"prompt\":\"%s\"}".formatted("x".repeat((1 << 20) + 1));
        return sometimes(8) ? noise(300) : one(JSON);
    }

    /** A request, as far as it is one: method, address and body. */
    public record Request(String method, String address, String body) {}

    /** Right in all but its values. */
    Request almost() {
        var route = RIGHT[random.nextInt(RIGHT.length)];
        var run = sometimes(2) ? one(runs) : "%00%f0%9f%90%93";
        var path = RestApiFixture.API + route[1].replace("x", run);
        var query = new StringBuilder();
        var body = new StringBuilder();
        for (int i = 2; i < route.length; i++) {
            if (sometimes(2)) continue;
            var value = one(VALUES).replaceAll("[^A-Za-z0-9%_~*+.:/-]|%$", "");
            query.append(query.isEmpty() ? '?' : '&')
                    .append(route[i])
                    .append('=')
                    .append(value);
            body.append(body.isEmpty() ? "" : ",")
                    .append('"')
                    .append(route[i])
                    .append("\":")
                    .append(one(WORDS));
        }
        boolean post = route[0].equals("POST");
        return new Request(route[0], post ? path : path + query, post ? "{" + body + "}" : "");
    }

    /** Any. */
    public Request request() {
        return sometimes(2) ? almost() : new Request(sometimes(2) ? "POST" : "GET", address(), body());
    }

    private String header() {
        return switch (random.nextInt(16)) {
            case 0 ->
                "Content-Type: "
                        + one(new String[] {
                            "text/plain", "application/json; charset=utf-16", "multipart/form-data", "", ";;;"
                        });
            case 1 -> "Last-Event-ID: " + one(VALUES);
            case 2 -> "Idempotency-Key: " + one(VALUES) + noise(5).replaceAll("[\r\n]", "");
            case 3 -> "Roost-Owner: " + one(VALUES);
            case 4 -> "Roost-Directory: " + one(VALUES);
            case 5 -> "Accept: " + one(new String[] {"", "*/*", "text/html", "a".repeat(5000), ";q=2"});
            case 6 -> "Origin: " + one(new String[] {"null", "https://evil.example", "http://" + host + ".evil", ""});
            case 7 -> "Host: evil.example";
            case 8 ->
                "Transfer-Encoding: " + one(new String[] {"chunked", "gzip, chunked", "identity", "chunked, chunked"});
            case 9 ->
                "Content-Length: " + one(new String[] {"-1", "abc", "99999999999999999999", "0", "5, 6", "0x10", "+4"});
            case 10 -> "X-Long: " + "y".repeat(random.nextInt(500_000));
            case 11 -> "Range: bytes=" + one(new String[] {"0-", "-1", "9-2", "0-0,1-1", "a-b"});
            case 12 -> "Authorization: Basic " + noise(20).replaceAll("[\r\n]", "");
            case 13 -> "Expect: 100-continue";
            case 14 -> noise(60);
            default -> "Connection: " + one(new String[] {"close", "keep-alive, Upgrade", "upgrade\r\nUpgrade: h2c"});
        };
    }

    /** The bytes of a malformed request. */
    public byte[] bytes() {
        if (sometimes(20)) return noise(2000).getBytes(StandardCharsets.ISO_8859_1);
        var text = new StringBuilder();
        boolean almost = sometimes(2);
        var request = almost ? almost() : request();
        text.append(almost ? request.method() : one(METHODS)).append(sometimes(20) ? "  " : " ");
        text.append(request.address()).append(sometimes(10) ? noise(10) : "");
        text.append(
                almost
                        ? " HTTP/1.1"
                        : one(new String[] {" HTTP/1.1", " HTTP/1.0", " HTTP/9.9", "", " HTTP/", "\u0000"}));
        text.append("\r\n");
        if (!sometimes(15)) text.append("Host: ").append(host).append("\r\n");
        if (!sometimes(10)) text.append("Authorization: Bearer ").append(token).append("\r\n");
        if (sometimes(100))
            for (int i = 0; i < 300; i++) text.append("X-").append(i).append(": many\r\n");
        for (int i = random.nextInt(almost ? 2 : 3); i > 0; i--)
            text.append(header()).append("\r\n");
        var body = almost || sometimes(2) ? request.body() : "";
        if (!sometimes(10))
            text.append("Content-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length + (sometimes(15) ? 7 : 0))
                    .append("\r\n");
        text.append("\r\n").append(body);
        return text.toString().getBytes(sometimes(4) ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }
}
