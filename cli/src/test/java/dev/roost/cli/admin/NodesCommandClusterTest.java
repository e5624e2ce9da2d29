package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.ScriptedAgentCliFixture;
import dev.roost.cluster.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The node commands on a cluster of several homes. */
class NodesCommandClusterTest extends ScriptedAgentCliFixture {

    private static final Duration SOON = Duration.ofSeconds(60);

    private final String ledger = PostgresServer.shared().newDatabase();
    private final List<Node> nodes = new ArrayList<>();
    private Path shared;

    @BeforeEach
    void shareADirectory() throws IOException {
        shared = Files.createDirectory(scratch.resolve("shared"));
    }

    private record Node(String name, Map<String, String> environment) {}

    private Node node(String name, String... more) throws IOException {
        var config = scratch.resolve(name + "-config");
        Files.createDirectories(config.resolve("roost"));
        Files.writeString(
                config.resolve("roost/config.toml"), """
                ledger = "%s"
                %s
                [node]
                name = "%s"
                directories = ["%s"]
                tags = ["test"]
                """.formatted(ledger, String.join("\n", more), name, shared));
        var node = new Node(
                name,
                Map.of(
                        "ROOST_HOME", scratch.resolve(name).toString(),
                        "HOME",
                                Files.createDirectories(scratch.resolve(name + "-user"))
                                        .toString(),
                        "XDG_CONFIG_HOME", config.toString()));
        nodes.add(node);
        at(node, "daemon", "start").ok();
        return node;
    }

    private Ran at(Node node, String... words) {
        return roostWith("", node.environment, words);
    }

    private JsonNode seen(Node from, String name) {
        return at(from, "node", "list", "--json")
                .ok()
                .json()
                .path("nodes")
                .valueStream()
                .filter(one -> one.path("node").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode show(Node from, String run) {
        return at(from, "show", run, "--json").ok().json();
    }

    private static String id(Ran ran) {
        return ran.ok().out().strip();
    }

    @AfterEach
    void stopNodes() {
        for (var node : nodes) {
            if (at(node, "daemon", "status").exit() != 0) continue;
            at(node, "stop", "--all");
            at(node, "daemon", "stop").ok();
        }
    }

    @Test
    void a_home_without_a_cluster_reports_that() {
        assertThat(roost("node", "list").ok().out())
                .contains("not part of a cluster")
                .contains("docs/cluster.md");
        assertThat(roost("nodes", "--json").ok().json().path("nodes").size()).isZero();
        var drained = roost("node", "drain");
        assertThat(drained.exit()).isEqualTo(5);
        assertThat(drained.err()).contains("This home is not part of a cluster");
        assertThat(coldWith("", Map.of("ROOST_OWNER", "claude:someone"), "node", "list")
                        .exit())
                .as("only for the operator")
                .isEqualTo(5);
    }

    @Test
    void a_node_is_drained_leaves_rejoins_and_is_removed() throws Exception {
        var one = node("one");
        var two = node("two");
        assertThat(at(one, "nodes").ok().out()).contains("one (here)", "two", "live", "test", shared.toString());
        assertThat(seen(one, "two").path("runs").asInt()).isZero();

        assertThat(at(one, "node", "drain", "two").ok().out()).contains("two is draining; it has 0 runs.");
        assertThat(seen(two, "two").path("state").asString()).isEqualTo("draining");
        var inShared = roostIn(two, shared, "run", "--", "echo", "elsewhere");
        at(one, "output", "--block", inShared).ok();
        assertThat(show(two, inShared).path("node").asString()).isEqualTo("one");
        assertThat(at(two, "show", inShared).ok().out()).containsPattern("node +one");
        assertThat(at(two, "ps", "--all", "--wide").ok().out()).contains("NODE").contains("one");

        assertThat(at(one, "node", "forget", "two").err()).contains("alive");
        at(two, "daemon", "stop").ok();
        assertThat(seen(one, "two").path("state").asString()).isEqualTo("left");
        at(two, "daemon", "start").ok();
        assertThat(seen(one, "two").path("state").asString()).as("back").isEqualTo("live");

        var tagged = roostIn(two, shared, "run", "--on", "test", "--", "true");
        assertThat(at(one, "output", "--block", tagged).exit()).isZero();
        var waiting = roostIn(two, shared, "run", "--on", "test", "--on", "gpu", "--", "true");
        assertThat(at(one, "show", waiting).ok().out()).containsPattern("waits +no node has the tag gpu");
        assertThat(at(one, "ps", "--wide").ok().out()).contains("WAITS", "no node has the tag gpu");
        assertThat(at(one, "stop", waiting).ok().out()).contains("canceled_by_user");

        at(two, "node", "drain").ok();
        at(one, "node", "resume", "two").ok();
        assertThat(seen(one, "two").path("state").asString()).isEqualTo("live");
        at(two, "node", "drain", "--wait").ok();
        at(two, "daemon", "stop").ok();
        assertThat(at(one, "node", "forget", "two").ok().out()).contains("two is removed");
        assertThat(at(one, "node", "list").ok().out()).doesNotContain("two");
        assertThat(at(one, "node", "forget", "two").exit()).isEqualTo(2);
    }

    private String roostIn(Node node, Path directory, String... words) throws IOException {
        var builder = new ProcessBuilder(command(words)).directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_") || name.startsWith("CLAUDE"));
        builder.environment().putAll(node.environment);
        builder.environment().put("SCRATCH", scratch.toString());
        builder.environment().put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
        return id(finish(builder.start(), ""));
    }

    @Test
    void drain_moves_the_runs_that_can_move_and_waits_for_the_others() throws Exception {
        var one = node("one", "max_attempts = 1"); // a move does not count as a loss
        at(one, "node", "list").ok();
        var resumable = roostIn(one, shared, "run", "--agent", "claude", "--", "steer me");
        var bound =
                id(at(one, "run", "--", "sh", "-c", "until [ -e \"$SCRATCH/go\" ]; do sleep 0.1; done; echo stayed"));
        await().atMost(SOON)
                .until(() -> show(one, resumable).path("phase").asString("").equals("working")
                        && show(one, resumable).has("session_id"));
        var two = node("two", "max_attempts = 1");

        at(two, "node", "drain", "one", "--move").ok();
        await().atMost(SOON).until(() -> show(two, resumable).path("attempt").asInt() == 2);
        await().atMost(SOON)
                .until(() -> show(two, resumable).path("node").asString("").equals("two"));
        assertThat(show(two, bound).path("attempt").asInt()).isEqualTo(1);
        assertThat(show(two, bound).path("status").asString()).isEqualTo("running");
        var first = show(two, resumable).path("attempts").get(0);
        assertThat(first.path("cause").asString()).isEqualTo("worker_lost");
        assertThat(first.path("evidence").path("note").asString()).contains("drained its node one");

        Files.createFile(scratch.resolve("go"));
        at(two, "node", "drain", "one", "--wait").ok();
        assertThat(at(two, "output", "--block", bound).ok().out()).contains("stayed");
        assertThat(at(two, "output", "--block", resumable).ok().out()).contains("resumed");
        assertThat(show(two, resumable).path("status").asString()).isEqualTo("completed");
    }

    @Test
    void the_doctor_checks_the_cluster_and_prints_no_secret() throws Exception {
        var one = node("one");
        var report = at(one, "doctor").ok().out();
        assertThat(report)
                .contains("database", "clock", "durability", "role", "lease", "nodes", "synchronous_commit = on");
        var secret = ledger.replaceAll(".*password=([^&]*).*", "$1");
        assertThat(secret).hasSizeGreaterThan(10);
        assertThat(report).doesNotContain(secret);
        try (var logs = Files.newDirectoryStream(scratch.resolve("one/logs"))) {
            for (var log : logs) assertThat(Files.readString(log)).doesNotContain(secret);
        }
    }
}
