package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.ScriptedAgentCliFixture;
import dev.roost.cluster.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A home with runs joins a cluster and moves its whole ledger. */
class LedgerCommandClusterTest extends ScriptedAgentCliFixture {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String ODD = "tab\\there, back\\\\slash, n\\303\\266 and \\\\N\\n";

    private final String ledger = PostgresServer.shared().newDatabase();
    private final List<Map<String, String>> others = new ArrayList<>();

    private void join(String name) throws IOException {
        config("""
                ledger = "%s"
                [node]
                name = "%s"
                """.formatted(ledger, name));
    }

    private Map<String, String> other(String name) throws IOException {
        var directory = scratch.resolve(name + "-config/roost");
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("config.toml"), """
                ledger = "%s"
                [node]
                name = "%s"
                """.formatted(ledger, name));
        var environment = Map.of(
                "ROOST_HOME", scratch.resolve(name).toString(),
                "XDG_CONFIG_HOME", scratch.resolve(name + "-config").toString());
        others.add(environment);
        return environment;
    }

    @AfterEach
    void stopOthers() {
        for (var other : others) roostWith("", other, "daemon", "stop");
    }

    private JsonNode show(String run) {
        return roost("show", run, "--json").ok().json();
    }

    private long count(String sql) {
        try (var connection = PostgresServer.connect(ledger);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void join_is_one_command_that_checks_everything_before_it_changes_anything() throws Exception {
        var settings = config("# mine\n[node]\nname = \"laptop\"\n");
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r-----"));
        var old = start("echo old");
        roost("output", "--block", old).ok();
        var live = start("sleep 1000");

        var refused = roost("node", "join", ledger);
        assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
        assertThat(refused.err()).contains("A run has not ended yet.");
        assertThat(roost("daemon", "status").ok().out()).contains("1 live");
        var nowhere = roost("node", "join", "postgresql://nobody@127.0.0.1:1/none");
        assertThat(nowhere.exit()).as(nowhere.err()).isNotZero();
        assertThat(Files.readString(settings)).startsWith("# mine");
        roost("stop", live).ok();

        assertThat(cold("node", "join", ledger).ok().out()).contains("laptop has joined with 2 runs");
        assertThat(Files.readString(settings))
                .isEqualTo("ledger = \"%s\"\n# mine\n[node]\nname = \"laptop\"\n".formatted(ledger));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings)))
                .isEqualTo("rw-r-----");
        assertThat(show(old).path("status").asString()).isEqualTo("completed");
        assertThat(roost("node", "list").ok().out()).contains("laptop (here)", "live");

        assertThat(roost("node", "join", ledger).ok().out()).contains("laptop has joined;");
        var another = roost("node", "join", PostgresServer.shared().newDatabase());
        assertThat(another.exit()).isEqualTo(5);
        assertThat(another.err()).contains("names another shared ledger");
        roost("daemon", "stop").ok();
    }

    @Test
    void after_a_move_all_rows_are_there_and_an_ended_run_can_be_continued() throws Exception {
        config("[node]\nname = \"laptop\"\n");
        var odd = start("printf '" + ODD + "'; echo oops >&2; exit 3");
        roost("output", "--block", odd);
        var talk = claude("--name", "talk", "--", "hello");
        roost("output", "--block", talk).ok();
        var unread = roost("run", "--owner", "claude:other", "--", "echo", "unread")
                .ok()
                .out()
                .strip();
        roost("output", "--block", unread).ok();
        var big = start("head -c 3000000 /dev/zero | tr '\\0' x");
        roost("output", "--block", big).ok();
        roost("token", "create", "--owner", "claude:box", "--directory", scratch.toString())
                .ok();
        var live = start("sleep 1000");

        roost("daemon", "stop").ok();
        join("laptop");
        var unmoved = roost("ps");
        assertThat(unmoved.exit())
                .as("no node would own it in the shared ledger")
                .isNotZero();
        assertThat(unmoved.err()).contains("not ended yet").contains("roost ledger move");
        config("[node]\nname = \"laptop\"\n");
        assertThat(show(live).path("status").asString()).isEqualTo("running");

        var running = roost("ledger", "move", ledger);
        assertThat(running.exit()).isEqualTo(5);
        assertThat(running.err()).contains("--stop-daemon");
        var refused = roost("ledger", "move", ledger, "--stop-daemon");
        assertThat(refused.exit()).as(refused.err()).isEqualTo(5);
        assertThat(refused.err()).contains("A run has not ended yet.").contains("roost stop --all");
        roost("stop", live).ok();
        await().atMost(SOON) // its owner's stop counts as read as soon as it is answered
                .until(() -> !show(live).path("unread").asBoolean());
        var before = roost("ps", "--all", "--json").ok().json().path("runs");
        var shown = show(odd);
        var text = roost("output", odd, "--json").json().path("text").asString();
        var tokens = roost("token", "list", "--json").ok().json();
        var pending = roost("inbox", "--owner", "claude:other", "--json")
                .ok()
                .json()
                .path("notices")
                .size();
        assertThat(pending).isEqualTo(1);

        var moved = roost("ledger", "move", ledger, "--stop-daemon").ok();

        assertThat(moved.out())
                .contains("Moved 5 runs")
                .contains("as node laptop")
                .contains("roost.db.moved");
        assertThat(moved.err()).contains("files: 5 of 5").contains("tables: 13 of 13");
        assertThat(home.resolve("roost.db")).doesNotExist();
        assertThat(home.resolve("roost.db.moved")).exists();
        var alone = roost("ps");
        assertThat(alone.exit()).isEqualTo(4);
        assertThat(alone.err()).contains("was moved to a shared one");

        join("laptop");
        var after = roost("ps", "--all", "--json").ok().json().path("runs");
        assertThat(after.size()).isEqualTo(before.size());
        for (int i = 0; i < after.size(); i++) {
            assertThat(after.get(i).path("run_id")).isEqualTo(before.get(i).path("run_id"));
            assertThat(after.get(i).path("status")).isEqualTo(before.get(i).path("status"));
            assertThat(after.get(i).path("unread")).isEqualTo(before.get(i).path("unread"));
            assertThat(after.get(i).path("node").asString()).isEqualTo("laptop");
        }
        assertThat(show(odd).path("timeline")).isEqualTo(shown.path("timeline"));
        assertThat(show(odd).path("owner").asString())
                .as("every machine may have such a user")
                .isEqualTo(shown.path("owner").asString() + "@laptop");
        assertThat(show(odd).path("evidence")).isEqualTo(shown.path("evidence"));
        assertThat(roost("token", "list", "--json").ok().json()).isEqualTo(tokens);
        assertThat(roost("inbox", "--owner", "claude:other", "--json")
                        .ok()
                        .json()
                        .path("notices")
                        .size())
                .isEqualTo(1);

        var two = other("two");
        assertThat(roostWith("", two, "output", odd, "--json")
                        .json()
                        .path("text")
                        .asString())
                .isEqualTo(text)
                .contains("tab\there, back\\slash, nö and \\N");
        assertThat(roostWith("", two, "output", big).ok().out()).hasSizeGreaterThan(2_999_999);
        roost("send", talk, "please go on").ok();
        assertThat(roost("output", "--block", talk).ok().out()).contains("went on");
        assertThat(show(talk).path("attempt").asInt()).isEqualTo(2);

        var again = roost("ledger", "move", ledger, "--stop-daemon");
        assertThat(again.exit()).isEqualTo(5);
        assertThat(again.err()).contains("has already been moved");
    }

    @Test
    void a_killed_move_continues_when_it_is_repeated() throws Exception {
        config("[node]\nname = \"laptop\"\n");
        var run = start("echo precious");
        roost("output", "--block", run).ok();
        var two = other("two"); // the shared ledger is in use and already has events
        var theirs =
                roostWith("", two, "run", "--", "echo", "theirs").ok().out().strip();
        roostWith("", two, "output", "--block", theirs).ok();
        roost("daemon", "stop").ok();
        long events = count("SELECT count(*) FROM event");

        try (var connection = PostgresServer.connect(ledger);
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE work IN ACCESS EXCLUSIVE MODE"); // the move blocks at this table
            var moving = launch(Map.of(), "ledger", "move", ledger);
            await().atMost(SOON)
                    .until(() ->
                            count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'roost laptop moves'"
                                            + " AND datname = current_database() AND wait_event_type = 'Lock'")
                                    > 0);
            moving.descendants().forEach(ProcessHandle::destroyForcibly);
            assertThat(finish(moving, "").exit()).isEqualTo(1);
            connection.rollback();
        }
        await().atMost(SOON)
                .until(() -> count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'roost laptop moves'"
                                + " AND datname = current_database()")
                        == 0);
        assertThat(count("SELECT count(*) FROM run WHERE id = '%s'".formatted(run)))
                .isZero();
        assertThat(home.resolve("roost.db.moving")).exists();
        assertThat(roost("ps").err()).contains("interrupted").contains("roost ledger move");

        roost("ledger", "move", ledger).ok();

        assertThat(count("SELECT count(*) FROM run WHERE id = '%s'".formatted(run)))
                .isEqualTo(1);
        assertThat(count("SELECT min(seq) FROM event WHERE run_id = '%s'".formatted(run)))
                .as("above the existing ones")
                .isGreaterThan(count("SELECT max(seq) FROM event WHERE run_id = '%s'".formatted(theirs)));
        assertThat(count("SELECT count(*) FROM event")).isGreaterThan(events);
        assertThat(count("SELECT last - (SELECT max(seq) FROM event) FROM happened"))
                .isZero();
        join("laptop");
        assertThat(roost("output", run).ok().out()).isEqualTo("precious\n");
        assertThat(roostWith("", two, "output", run).ok().out()).isEqualTo("precious\n");
    }

    @Test
    void an_unreachable_database_changes_nothing() throws Exception {
        var run = start("echo here");
        roost("output", "--block", run).ok();
        roost("daemon", "stop").ok();
        var unreachable = roost("ledger", "move", "postgresql://roost:geheim@127.0.0.1:1/roost");
        assertThat(unreachable.exit()).isEqualTo(1);
        assertThat(unreachable.err()).contains("127.0.0.1:1").doesNotContain("geheim");
        assertThat(home.resolve("roost.db")).exists();
        assertThat(roost("output", run).ok().out()).isEqualTo("here\n");
    }
}
