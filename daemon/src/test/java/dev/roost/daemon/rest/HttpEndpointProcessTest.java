package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Access over HTTP: which requests are accepted, at which address, and how others are refused. */
class HttpEndpointProcessTest extends HttpFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    private int ping(String token) throws Exception {
        return post("/mcp", token, PING, "Roost-Owner", PARENT).statusCode();
    }

    @Test
    void a_restarted_daemon_keeps_its_address_and_accepts_every_token() throws Exception {
        var address = address();
        assertThat(address).matches("http://127\\.0\\.0\\.1:\\d+");
        var mine = operatorsToken();
        var scoped = token("claude:box");
        restart();
        assertThat(address()).isEqualTo(address);
        assertThat(operatorsToken()).isEqualTo(mine);
        assertThat(ping(mine)).isEqualTo(200);
        assertThat(ping(scoped)).isEqualTo(200);
        assertThat(get("/healthz", "").body()).isEqualTo("ok");
    }

    @Test
    void a_port_of_another_process_is_not_taken() throws Exception {
        int before = port();
        kill9();
        try (var taken = new ServerSocket(before, 1, InetAddress.getLoopbackAddress())) {
            daemon = start();
            int after = port();
            assertThat(after).isNotEqualTo(before).isNotEqualTo(taken.getLocalPort() + 65_536);
            assertThat(get("/healthz", "").statusCode()).isEqualTo(200);
            assertThat(home.resolve("http.port")).content().isEqualTo(after + "\n");
            assertThat(home.resolve("logs/daemon.0.log")).content().contains("port " + before + " is in use");
        }
    }

    @Test
    void the_operator_configures_the_address_or_turns_http_off() throws Exception {
        int free;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        configure("http = \"localhost:%d\"".formatted(free));
        restart();
        assertThat(address()).isEqualTo("http://127.0.0.1:" + free);
        configure("http = \"off\"");
        restart();
        assertThat(call("status", operator()).has("http")).isFalse();
    }

    @Test
    void an_address_that_other_machines_could_reach_is_refused() throws Exception {
        kill9();
        for (var address : new String[] {"0.0.0.0:7077", "192.168.1.2:7077", "example.org:7077", "7077", "127.0.0.1"}) {
            configure("http = \"%s\"".formatted(address));
            var process = launch();
            assertThat(firstLine(process)).as(address).contains("bad_config", "only this machine can reach");
            assertThat(process.waitFor()).isEqualTo(4);
        }
        configure("");
    }

    @Test
    void the_homes_own_token_is_for_its_user_alone() throws Exception {
        var file = home.resolve("token");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(operatorsToken()).startsWith("roost_");
        assertThat(Base64.getUrlDecoder().decode(operatorsToken().substring(6))).hasSize(32);
    }

    @Test
    void a_request_without_a_token_is_told_how_to_get_one() throws Exception {
        var answer = post("/mcp", "", PING);
        refused(answer, 401, "no_token");
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"roost\"");
        var wrong = post("/mcp", "roost_" + "x".repeat(43), PING);
        refused(wrong, 401, "bad_token");
        assertThat(wrong.headers().firstValue("WWW-Authenticate").orElse("")).contains("invalid_token");
        refused(
                send(request("/mcp", "", "Authorization", "Basic cm9vc3Q6eA==")
                        .POST(HttpRequest.BodyPublishers.ofString(PING))),
                401,
                "bad_token");
        refused(post("/hooks/claude-code/Stop", "", "{}"), 401, "no_token");
    }

    @Test
    void a_revoked_or_expired_token_is_refused() throws Exception {
        var revoked = call("token_create", scope("claude:box"));
        var secret = revoked.path("secret").asString();
        assertThat(ping(secret)).isEqualTo(200);
        call("token_revoke", operator().put("token_id", revoked.path("token_id").asString()));
        refused(post("/mcp", secret, PING), 401, "bad_token");

        var brief = token(scope("claude:box").put("expires", "1s"));
        await().atMost(SOON).until(() -> ping(brief) == 401);
        refused(post("/mcp", brief, PING), 401, "token_expired");
        restart();
        refused(post("/mcp", secret, PING), 401, "bad_token");
        refused(post("/mcp", brief, PING), 401, "token_expired");
    }

    @Test
    void guessing_is_slowed_down_while_valid_tokens_are_accepted() throws Exception {
        for (int i = 0; i < 20; i++) refused(post("/mcp", "guess" + i, PING), 401, "bad_token");
        var answer = post("/mcp", "guess", PING);
        refused(answer, 429, "too_many_failures");
        assertThat(answer.headers().firstValue("Retry-After")).contains("60");
        assertThat(ping(operatorsToken())).isEqualTo(200);
    }

    /** Sends the operator's ping with exactly these headers; returns the first line of the answer. */
    private String knock(String host, String more, int length) throws Exception {
        return raw("POST /mcp HTTP/1.1\r\nHost: %s\r\n%sAuthorization: Bearer %s\r\nRoost-Owner: a:b\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(host, more, operatorsToken(), length, length == PING.length() ? PING : ""))
                .lines()
                .findFirst()
                .orElse("");
    }

    @Test
    void a_web_page_gets_no_access_through_another_host_name() throws Exception {
        int port = port();
        for (var host : new String[] {
            "evil.example:" + port, "127.0.0.1.evil.example:" + port, "127.0.0.1:1", "127.0.0.1", "10.0.0.1:" + port
        }) {
            assertThat(knock(host, "", PING.length())).as(host).startsWith("HTTP/1.1 403 ");
        }
        for (var host : new String[] {"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "LOCALHOST:" + port}) {
            assertThat(knock(host, "", PING.length())).as(host).startsWith("HTTP/1.1 200 ");
        }
        var here = "127.0.0.1:" + port;
        for (var origin :
                new String[] {"https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil:" + port}) {
            assertThat(knock(here, "Origin: " + origin + "\r\n", PING.length()))
                    .as(origin)
                    .startsWith("HTTP/1.1 403 ");
        }
        assertThat(knock(here, "Origin: http://localhost:" + port + "\r\n", PING.length()))
                .startsWith("HTTP/1.1 200 ");
        assertThat(raw("GET /healthz HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void an_unknown_path_is_404_and_a_wrong_method_names_the_right_one() throws Exception {
        refused(get("/.well-known/oauth-protected-resource", ""), 404, "no_such_route");
        refused(post("/hooks/claude-code", operatorsToken(), "{}"), 404, "no_such_route");
        refused(post("/hooks/claude-code/Stop/more", operatorsToken(), "{}"), 404, "no_such_route");
        for (var method : new String[] {"GET", "DELETE"}) {
            var answer = send(request("/mcp", operatorsToken()).method(method, HttpRequest.BodyPublishers.noBody()));
            refused(answer, 405, "bad_method");
            assertThat(answer.headers().firstValue("Allow")).contains("POST");
        }
        var answer = post("/healthz", "", "");
        refused(answer, 405, "bad_method");
        assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
    }

    @Test
    void a_body_that_is_too_long_is_not_even_read() throws Exception {
        assertThat(knock("127.0.0.1:" + port(), "", (8 << 20) + 1)).startsWith("HTTP/1.1 413 ");
        assertThat(ping(operatorsToken())).isEqualTo(200);
    }

    @Test
    void a_daemon_with_open_connections_stops_at_once() throws Exception {
        var run = fields(tool(token("claude:box"), "agent", background("sleep 1000")))
                .path("run_id")
                .asString();
        var waiting = client.sendAsync(
                request("/mcp", operatorsToken(), "Roost-Owner", "claude:box", "Accept", "text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofString(toolCall("agent_output", run(run).put("block", true))
                                .toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        awaitPid(run);
        disconnect();
        daemon.destroy();
        assertThat(daemon.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.handle((_, failed) -> failed).get()).isNotNull();
    }

    @Test
    void a_body_that_is_not_json_is_refused() throws Exception {
        for (var body : new String[] {"", "{", "nonsense", "3", "\"x\"", "[".repeat(5000)}) {
            refused(post("/mcp", operatorsToken(), body), 400, "bad_json");
            refused(post("/hooks/claude-code/Stop", operatorsToken(), body), 400, "bad_json");
        }
    }

    @Test
    void no_secret_is_stored_or_logged() throws Exception {
        var scope = scope("claude:box");
        scope.putObject("env").put("API_KEY", "hunter2");
        var secret = token(scope);
        ping(secret);
        post("/mcp", secret + "x", PING);
        assertThat(call("tokens", operator()).toString())
                .contains("claude:box", "API_KEY", "used_at")
                .doesNotContain(secret, "hunter2");
        restart();
        for (var file : new String[] {"logs/daemon.0.log", "roost.db", "roost.db-wal"}) {
            var bytes = Files.exists(home.resolve(file)) ? Files.readAllBytes(home.resolve(file)) : new byte[0];
            assertThat(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1))
                    .as(file)
                    .doesNotContain(secret, operatorsToken());
        }
    }

    @Test
    void only_a_person_creates_tokens_and_their_scopes_are_validated() throws Exception {
        refused("token_create", scope("claude:box").put("harness", true), "person_required");
        refused("tokens", params(), "person_required");
        refused("token_revoke", operator().put("token_id", "t_none"), "no_such_token");
        refused("token_create", scope("nobody"), "bad_owner");
        refused("token_create", scope("a:b").put("directory", "/nowhere"), "no_such_directory");
        refused("token_create", scope("a:b").put("max_live", 0), "bad_field");
        refused("token_create", scope("a:b").put("expires", "30"), "duration_without_unit");
        var agents = scope("a:b");
        agents.putArray("agents").add("nobody");
        refused("token_create", agents, "unknown_agent");
        var paths = scope("a:b");
        paths.putObject("paths").put("inside", "/");
        refused("token_create", paths, "bad_path_map");
        var variables = scope("a:b");
        variables.putObject("env").put("ROOST_OWNER", "claude:other");
        refused("token_create", variables, "bad_variable");
        assertThat(call("tokens", operator()).path("tokens").size()).isZero();
    }
}
