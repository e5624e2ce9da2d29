package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.daemon.testing.DaemonCluster;
import dev.roost.daemon.testing.DaemonClusterFixture;
import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.RunCookieScan;
import dev.roost.daemon.testing.SseReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A run on one node has the same answers and operations on the other, on every surface, over TLS. */
class DaemonCrossNodeAccessClusterTest extends DaemonClusterFixture {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String AGENTS = """
            [agents.listener]
            driver = "claude"
            command = ["listener-of-w1"]
            [agents.nobodys]
            driver = "claude"
            command = ["program-of-nobody"]
            """;

    private final PostgresServer postgres = PostgresServer.withTls();
    private final String encrypted = postgres.newDatabase();
    private Node has;
    private Node asked;
    private String token;
    private String run;

    @BeforeEach
    void aRunOnOneOfTwoNodes() throws Exception {
        var programs = program("listener-of-w1").getParent();
        has = node("w1", encrypted, AGENTS, programs + ":" + System.getenv("PATH"));
        run = has.start("claude:parent", """
                        echo first; until [ -e go ]; do sleep 0.05; done; echo second; until [ -e end ]; do sleep 0.05; done
                        """).path("run_id").asString();
        await().atMost(SOON).until(() -> RunCookieScan.alive(has.home).contains(run)); // so it is not the other's
        asked = node("w2", encrypted, AGENTS, System.getenv("PATH"));
        token = asked.operatorsToken();
    }

    @AfterEach
    void endTheirLedger() throws Exception {
        endNodes();
        postgres.close();
    }

    /** Everything in one test: starting two nodes takes longer than all of it. */
    @Test
    void a_run_of_one_node_can_be_read_followed_messaged_and_stopped_from_another() throws Exception {
        isSeen();
        isFollowed();
        anAgentThatOnlyTheOtherHasIsTalkedTo();
        anAgentThatNobodyHasIsRefused();
        isStopped();
        nothingWentInTheClear();
    }

    private void isSeen() throws Exception {
        assertThat(field(json(asked.get("/api/v1/runs", token)).path("runs"), "run_id"))
                .containsExactly(run);
        assertThat(field(asked.call("list", operator()).path("runs"), "run_id")).containsExactly(run);
        for (var shown : List.of(
                json(asked.get("/api/v1/runs/" + run, token)),
                asked.call("show", operator().put("run_id", run)))) {
            assertThat(shown.path("status").asString()).isEqualTo("running");
            assertThat(shown.path("node").asString()).isEqualTo("w1");
        }
        var nodes = json(asked.get("/api/v1/nodes", token)).path("nodes");
        assertThat(field(nodes, "node")).containsExactly("w1", "w2");
        assertThat(field(nodes, "state")).containsOnly("live");
    }

    private void isFollowed() throws Exception {
        int port = URI.create(asked.address).getPort();
        try (var output = new SseReader(port, "/api/v1/runs/" + run + "/output", token);
                var events = new SseReader(port, "/api/v1/events", token)) {
            assertThat(events.need().name()).isEqualTo("begin");
            assertThat(said(output)).isEqualTo("first\n");
            Files.createFile(scratch.resolve("go"));
            assertThat(said(output)).isEqualTo("second\n");
            Files.createFile(scratch.resolve("end"));
            var end = output.need();
            assertThat(end.name()).isEqualTo("end");
            assertThat(end.data().path("status").asString()).isEqualTo("completed");
            assertThat(end.data().path("result").asString()).isEqualTo("first\nsecond\n");
            var ended = events.need();
            while (!ended.name().equals("ended")) ended = events.need();
            assertThat(ended.data().path("run_id").asString()).isEqualTo(run);
        }
        assertThat(result(run)).isEqualTo("first\nsecond\n");
        for (var inbox : List.of(
                asked.call("inbox", as("claude:parent")),
                json(asked.get("/api/v1/notices", token, "Roost-Owner", "claude:parent"))))
            assertThat(field(inbox.path("notices"), "run_id")).containsExactly(run);
        assertThat(page("/runs/" + run)).contains("second", "<dt>node</dt><dd>w1</dd>");
        assertThat(page("/")).contains("/runs/" + run);
    }

    private void anAgentThatOnlyTheOtherHasIsTalkedTo() throws Exception {
        for (var way : List.of("socket", "http")) {
            var listener = asked.call("start", task("listener")).path("run_id").asString();
            await().atMost(SOON)
                    .until(() -> show(listener).path("phase").asString("").equals("working"));
            assertThat(show(listener).path("node").asString()).isEqualTo("w1");
            var message = DaemonFixture.JSON.createObjectNode().put("message", "take the other way");
            if (way.equals("socket"))
                asked.call("send", message.setAll(operator().put("run_id", listener)));
            else
                assertThat(asked.post("/api/v1/runs/" + listener + "/send", token, message)
                                .statusCode())
                        .isEqualTo(200);
            assertThat(asked.end(listener)).as(way).isEqualTo("completed");
            assertThat(result(listener)).contains("heard: take the other way");
        }
    }

    private void anAgentThatNobodyHasIsRefused() throws IOException {
        var refused = asked.error("start", task("nobodys"));
        assertThat(refused.path("message").asString()).contains("No node", "agent:nobodys");
        assertThat(refused.path("code").asString()).as(refused.toString()).isEqualTo("no_node_for_it");
    }

    private void isStopped() throws Exception {
        for (var way : List.of("socket", "http")) {
            var listener = asked.call("start", task("listener")).path("run_id").asString();
            await().atMost(SOON).until(() -> RunCookieScan.alive(has.home).contains(listener));
            var stopped = way.equals("socket")
                    ? asked.call("stop", operator().put("run_id", listener))
                    : json(asked.post(
                            "/api/v1/runs/" + listener + "/stop", token, DaemonFixture.JSON.createObjectNode()));
            assertThat(stopped.path("status").asString()).as(way).isEqualTo("canceled_by_user");
            assertThat(RunCookieScan.alive(has.home)).isEmpty();
        }
    }

    private void nothingWentInTheClear() throws SQLException {
        assertThat(encrypted).contains("sslmode=verify-full");
        try (var connection = PostgresServer.connect(encrypted)) {
            assertThat(DaemonCluster.rows(connection, """
                            SELECT ssl, count(*) > 10 FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                             WHERE application_name LIKE 'roost %' GROUP BY ssl
                            """)).containsExactly(List.of("t", "t"));
        }
    }

    private ObjectNode task(String agent) {
        var params = as("claude:parent")
                .put("cwd", scratch.toString())
                .put("agent", agent)
                .put("prompt", "listen");
        params.putObject("env").put("PATH", System.getenv("PATH"));
        return params;
    }

    private Path program(String name) throws IOException {
        var program = Files.createDirectories(scratch.resolve("bin")).resolve(name);
        try (var script = Objects.requireNonNull(
                DaemonCrossNodeAccessClusterTest.class.getResourceAsStream("/claude-on-stage"))) {
            Files.copy(script, program);
        }
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }

    private JsonNode show(String run) throws IOException {
        return asked.call("show", operator().put("run_id", run));
    }

    private String result(String run) throws IOException {
        return asked.call("output", operator().put("run_id", run))
                .path("result")
                .asString();
    }

    private static String said(SseReader output) throws IOException {
        var next = output.need();
        assertThat(next.name()).isEqualTo("output");
        return next.data().path("text").asString();
    }

    private static List<String> field(JsonNode rows, String name) {
        return rows.valueStream().map(row -> row.path(name).asString()).toList();
    }

    private String page(String path) throws Exception {
        var link = asked.call("web", operator()).path("link").asString();
        var set = send(HttpRequest.newBuilder(URI.create(link)))
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow();
        var cookie = set.substring(0, set.indexOf(';'));
        var answer =
                send(HttpRequest.newBuilder(URI.create(asked.address + path)).header("Cookie", cookie));
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }
}
