package dev.roost.daemon.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonClusterFixture;
import dev.roost.daemon.testing.DaemonFixture;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Owners and their rights when two machines share a ledger. */
class TokenOwnerClusterTest extends DaemonClusterFixture {

    private static final Duration SOON = Duration.ofSeconds(60);

    private Node one;
    private Node two;

    @BeforeEach
    void twoNodes() throws Exception {
        one = node("w1");
        two = node("w2");
    }

    private static void refused(HttpResponse<String> answer, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(401);
        assertThat(json(answer).at("/error/code").asString()).isEqualTo(code);
    }

    private static List<String> runs(JsonNode list) {
        return StreamSupport.stream(list.path("runs").spliterator(), false)
                .map(run -> run.path("run_id").asString())
                .toList();
    }

    private void sql(String statement) throws Exception {
        try (var connection = PostgresServer.connect(ledger);
                var written = connection.createStatement()) {
            written.execute(statement);
        }
    }

    @Test
    void a_token_of_one_node_is_valid_on_the_other_until_it_is_revoked() throws Exception {
        var made = one.tokenAndId("ci:nightly");
        var secret = made.path("secret").asString();
        assertThat(secret).matches("roost_[\\w-]{43}");
        var body = DaemonFixture.JSON
                .createObjectNode()
                .put("agent", "command")
                .put("prompt", "echo hello")
                .put("description", "says hello");
        var started = two.post("/api/v1/runs", secret, body);
        assertThat(started.statusCode()).as(started.body()).isEqualTo(201);
        var run = json(started).path("run_id").asString();
        assertThat(json(started).path("owner").asString()).isEqualTo("ci:nightly");
        assertThat(two.end(run)).isEqualTo("completed");
        assertThat(runs(json(one.get("/api/v1/runs?filter=all", secret)))).containsExactly(run);

        one.call(
                "token_revoke", operator().put("token_id", made.path("token_id").asString()));
        refused(two.get("/api/v1/runs", secret), "bad_token");
        refused(one.get("/api/v1/runs", secret), "bad_token");
    }

    @Test
    void a_token_of_another_cluster_and_an_altered_one_are_unknown() throws Exception {
        var genuine = one.token("ci:nightly");
        assertThat(two.get("/api/v1/runs", genuine).statusCode()).isEqualTo(200);
        var foreign =
                node("w1-of-others", PostgresServer.shared().newDatabase()).token("ci:nightly");
        refused(two.get("/api/v1/runs", foreign), "bad_token");
        refused(two.get("/api/v1/runs", "roost_" + "x".repeat(43)), "bad_token");
        for (int at : new int[] {10, 30, genuine.length() - 1}) {
            var altered = new StringBuilder(genuine);
            altered.setCharAt(at, genuine.charAt(at) == 'A' ? 'B' : 'A');
            refused(two.get("/api/v1/runs", altered.toString()), "bad_token");
        }
    }

    @Test
    void a_malformed_token_is_refused_without_reading_the_ledger() throws Exception {
        var genuine = one.token("ci:nightly");
        try (var connection = PostgresServer.connect(ledger);
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE token IN ACCESS EXCLUSIVE MODE");
            refused(two.get("/api/v1/runs", genuine.substring(0, genuine.length() - 1)), "bad_token");
            refused(two.get("/api/v1/runs", genuine + "A"), "bad_token");
            refused(two.get("/api/v1/runs", "x"), "bad_token");
            connection.rollback();
        }
    }

    @Test
    void a_signed_token_of_an_earlier_version_still_works() throws Exception {
        one.token("ci:nightly");
        var signed = "roost_" + "s".repeat(140);
        sql("""
                INSERT INTO token (id, sha256, owner, scope, created_at)
                SELECT 't_signed', '%s', owner, scope, created_at FROM token
                """.formatted(sha256(signed)));
        for (var node : List.of(one, two))
            assertThat(node.get("/api/v1/runs", signed).statusCode()).isEqualTo(200);
        one.call("token_revoke", operator().put("token_id", "t_signed"));
        refused(two.get("/api/v1/runs", signed), "bad_token");
    }

    private static String sha256(String text) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    @Test
    void users_of_the_same_name_on_two_machines_are_different_owners() throws Exception {
        var hers = one.start("cli:alice", "echo \"$ROOST_OWNER\"; sleep 600");
        var his = two.start("cli:alice", "sleep 600");
        assertThat(hers.path("owner").asString()).isEqualTo("cli:alice@w1");
        assertThat(his.path("owner").asString()).isEqualTo("cli:alice@w2");
        var her = hers.path("run_id").asString();
        var him = his.path("run_id").asString();

        assertThat(runs(one.call("list", as("cli:alice")))).containsExactly(her);
        assertThat(runs(two.call("list", as("cli:alice")))).containsExactly(him);
        for (var method : new String[] {"show", "output", "stop"}) {
            assertThat(two.refusal(method, as("cli:alice").put("run_id", her)))
                    .as(method)
                    .isEqualTo("no_such_run");
        }
        assertThat(two.refusal("send", as("cli:alice").put("run_id", her).put("message", "stop")))
                .isEqualTo("no_such_run");
        // an agent of hers acts as her wherever it works, and the operator of any node sees all
        assertThat(runs(two.call("list", as("cli:alice@w1")))).containsExactly(her);
        assertThat(runs(two.call("list", operator()))).containsExactlyInAnyOrder(her, him);
        assertThat(runs(two.call("list", operator().put("owner", "cli:alice")))).containsExactly(him);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(two.call("output", operator().put("run_id", her))
                                .path("text")
                                .asString())
                        .contains("cli:alice@w1"));

        two.call("stop", operator().put("run_id", her));
        assertThat(one.call("inbox", as("cli:alice")).path("notices")).hasSize(1);
        assertThat(two.call("inbox", as("cli:alice")).path("notices")).isEmpty();
        one.call(
                "adopt",
                operator()
                        .put("to", "cli:alice")
                        .set("run_ids", DaemonFixture.JSON.createArrayNode().add(him)));
        assertThat(runs(one.call("list", as("cli:alice")))).contains(him);
    }

    @Test
    void a_session_is_one_owner_on_all_nodes_and_a_user_is_an_owner_of_its_node() throws Exception {
        var run = one.start("claude:5f0c", "sleep 600");
        assertThat(run.path("owner").asString()).isEqualTo("claude:5f0c");
        assertThat(runs(two.call("list", as("claude:5f0c"))))
                .containsExactly(run.path("run_id").asString());
        var alice = one.start("cli:alice", "sleep 600").path("run_id").asString();
        assertThat(runs(json(one.get("/api/v1/runs", one.operatorsToken(), "Roost-Owner", "cli:alice"))))
                .containsExactly(alice);
        assertThat(runs(json(two.get("/api/v1/runs", two.operatorsToken(), "Roost-Owner", "cli:alice"))))
                .isEmpty();
        refused(two.get("/api/v1/runs", one.operatorsToken()), "bad_token");
    }

    @Test
    void a_token_acts_for_its_owner_whatever_session_is_named() throws Exception {
        var run = one.start("claude:victim", "sleep 600").path("run_id").asString();
        var token = one.token("claude:box");
        var input = DaemonFixture.JSON
                .createObjectNode()
                .put("session_id", "victim")
                .put("source", "startup");
        var before = victim();
        assertThat(two.post("/hooks/claude-code/SessionStart", token, input.put("cwd", scratch.toString()))
                        .statusCode())
                .isEqualTo(200);
        assertThat(owners()).contains("claude:box");
        assertThat(victim()).isEqualTo(before);
        var others = two.get("/api/v1/runs/" + run, token, "Roost-Owner", "claude:victim");
        assertThat(others.statusCode()).as(others.body()).isEqualTo(404);
        var nobodys = two.get("/api/v1/runs/r_nosuchrun", token);
        assertThat(others.body().replace(run, "r_nosuchrun")).isEqualTo(nobodys.body());
        assertThat(two.post("/api/v1/runs/" + run + "/stop", token, DaemonFixture.JSON.createObjectNode())
                        .statusCode())
                .isEqualTo(404);
        var call = DaemonFixture.JSON
                .createObjectNode()
                .put("jsonrpc", "2.0")
                .put("id", 1)
                .put("method", "tools/call");
        call.putObject("params")
                .put("name", "agent_stop")
                .putObject("arguments")
                .put("run_id", run);
        assertThat(two.post("/mcp", token, call).body()).contains("no_such_run");
        assertThat(one.call("show", operator().put("run_id", run))
                        .path("status")
                        .asString())
                .isEqualTo("running");
    }

    private String owners() throws Exception {
        return two.get("/api/v1/owners", two.operatorsToken()).body();
    }

    private JsonNode victim() throws Exception {
        return StreamSupport.stream(
                        DaemonFixture.JSON.readTree(owners()).path("owners").spliterator(), false)
                .filter(owner -> owner.path("owner").asString().equals("claude:victim"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_link_to_the_page_works_once_and_on_its_own_node() throws Exception {
        var link = one.call("web", operator()).path("link").asString();
        var elsewhere = link.replace(one.address, two.address);
        assertThat(elsewhere).isNotEqualTo(link);
        assertThat(send(HttpRequest.newBuilder(URI.create(elsewhere))).statusCode())
                .isEqualTo(401);
        var answer = send(HttpRequest.newBuilder(URI.create(link)));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(send(HttpRequest.newBuilder(URI.create(link))).statusCode()).isEqualTo(401);
        assertThat(send(HttpRequest.newBuilder(URI.create(elsewhere))).statusCode())
                .isEqualTo(401);
    }

    @Test
    void a_sign_in_on_one_node_is_valid_on_all_until_it_is_revoked() throws Exception {
        var cookie = cookie(one);
        assertThat(page(one, cookie)).isEqualTo(200);
        var secret = cookie.substring(cookie.indexOf('=') + 1);
        var onTwo = cookie(two);
        var name = onTwo.substring(0, onTwo.indexOf('='));
        assertThat(page(two, name + "=" + secret)).isEqualTo(200);
        refused(two.get("/api/v1/runs", secret), "bad_token");
        for (var token : two.call("tokens", operator()).path("tokens"))
            two.call(
                    "token_revoke",
                    operator().put("token_id", token.path("token_id").asString()));
        assertThat(page(one, cookie)).isEqualTo(401);
    }

    private String cookie(Node node) throws Exception {
        var link = node.call("web", operator()).path("link").asString();
        var set = send(HttpRequest.newBuilder(URI.create(link)))
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow();
        return set.substring(0, set.indexOf(';'));
    }

    private int page(Node node, String cookie) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(node.address + "/")).header("Cookie", cookie))
                .statusCode();
    }
}
