package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.WakePolicy;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.model.OwnerSession;
import dev.roost.model.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real Claude Code session learns of its background runs; asserted by the requests to its model. */
class ClaudeCodeOwnerSessionProcessTest {

    @Test
    void an_end_while_the_owner_was_dead_is_reported_once_when_its_session_resumes(@TempDir Path directory)
            throws Exception {
        try (var stage = new OwnerSessionFixture(directory)) {
            var session = OwnerSessionFixture.newSession();
            var parent = stage.begin(
                    session,
                    false,
                    "MARK-A SCRIPT=" + stage.background("first", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                            + "|bash?cmd=sleep%2061|never");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stage.askedAbout("MARK-A").size() >= 2);
            parent.destroyForcibly().waitFor();
            Files.createFile(stage.user.project().resolve("go"));
            stage.awaitEnds(1);
            stage.clock.sleepMachine(Duration.ofHours(16));

            stage.turn(session, true, "MARK-B SCRIPT=bash?cmd=true|fine");
            var first = stage.askedAbout("MARK-B").getFirst();
            assertThat(first.text()).contains("1 background run ended", "completed", "agent_output");
            assertThat(first.count("<roost-notice id=")).isEqualTo(1);
            assertThat(stage.runs())
                    .singleElement()
                    .satisfies(run -> assertThat(run.status()).isEqualTo(Status.COMPLETED));
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();

            stage.turn(session, true, "MARK-C SCRIPT=fine");
            var again = stage.askedAbout("MARK-C").getFirst();
            assertThat(again.count("<roost-notice id="))
                    .as("only in its history: " + again.text())
                    .isEqualTo(1);
        }
    }

    /** A session does not wait for its MCP servers before its first request, but a step like this does. */
    private static final String A_WHILE = "bash?cmd=sleep%202|";

    /** The default settings without the long pauses. */
    private static final WakePolicy SOON = new WakePolicy(
            WakePolicy.Mode.IDLE, Duration.ofMillis(500), 3, Duration.ofMillis(200), Duration.ofSeconds(2));

    @Test
    void an_idle_session_is_woken_when_a_run_ends(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory).with(SOON);
                var tmuxTerminal = stage.sit(OwnerSessionFixture.newSession())) {
            tmuxTerminal.awaitWords("❯");
            tmuxTerminal.type("MARK-I SCRIPT=" + A_WHILE
                    + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT") + "|it%20is%20begun");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            int before = stage.askedAbout("MARK-I").size();
            Files.createFile(stage.user.project().resolve("go"));

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.askedAbout("MARK-I").size() > before);
            var woken = stage.askedAbout("MARK-I").get(before);
            assertThat(woken.text())
                    .contains("SYSTEM NOTIFICATION", "<roost-notice id=", "1 background run ended", "completed");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();
            assertThat(stage.model.asked().getLast().count("<roost-notice id="))
                    .as("told once")
                    .isEqualTo(1);
        }
    }

    @Test
    void a_turn_continues_for_a_run_that_ends_during_its_last_answer(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory)) {
            stage.turn(
                    OwnerSessionFixture.newSession(),
                    false,
                    "MARK-S SCRIPT=" + stage.background("nap", "until [ -e said ]; do sleep 0.1; done; echo FRUIT")
                            + "|bash?cmd=" + OwnerSessionFixture.encoded("touch said; sleep 1")
                            + "|all%20said|and%20heard");
            var last = stage.askedAbout("MARK-S").getLast();
            assertThat(last.text()).contains("<roost-notice id=", "1 background run ended");
            assertThat(last.count("<roost-notice id=")).isEqualTo(1);
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();
        }
    }

    @Test
    void a_cleared_session_keeps_its_runs(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory).with(SOON);
                var tmuxTerminal = stage.sit(OwnerSessionFixture.newSession())) {
            tmuxTerminal.awaitWords("❯");
            tmuxTerminal.type("MARK-1 SCRIPT=" + A_WHILE
                    + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT") + "|it%20is%20begun");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            var before = stage.runs().getFirst().owner();
            tmuxTerminal.type("/clear");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !stage.runs().getFirst().owner().equals(before));

            tmuxTerminal.type("MARK-2 SCRIPT=mcp:mcp__roost__agent_list|seen");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.askedAbout("MARK-2").size() >= 2);
            var first = stage.askedAbout("MARK-2").getFirst();
            assertThat(first.text())
                    .as("the new conversation is told which runs are live")
                    .doesNotContain("MARK-1")
                    .contains("1 background run still at work");
            assertThat(stage.askedAbout("MARK-2")
                            .get(1)
                            .modelRequest()
                            .toolResults()
                            .toString())
                    .as("the bridge still has the old session in its environment")
                    .contains(stage.runs().getFirst().id().text());
            Files.createFile(stage.user.project().resolve("go"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.model.asked().getLast().text().contains("1 background run ended"));
        }
    }

    @Test
    void an_interrupted_session_is_not_woken(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory).with(SOON);
                var tmuxTerminal = stage.sit(OwnerSessionFixture.newSession())) {
            tmuxTerminal.awaitWords("❯");
            tmuxTerminal.type("MARK-X SCRIPT=" + A_WHILE
                    + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT") + "|bash?cmd="
                    + OwnerSessionFixture.encoded("touch inside; sleep 61") + "|never");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Files.exists(stage.user.project().resolve("inside")));
            tmuxTerminal.key("Escape");
            tmuxTerminal.awaitWords("Interrupted");
            int before = stage.model.asked().size();
            Files.createFile(stage.user.project().resolve("go"));
            stage.awaitEnds(1);
            var run = stage.runs().getFirst();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.service().events(run).stream()
                            .anyMatch(event ->
                                    event.text().contains("not woken: its last turn has not reported its end")));
            assertThat(stage.model.asked()).hasSize(before);

            tmuxTerminal.type("MARK-Y SCRIPT=fine");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> !stage.askedAbout("MARK-Y").isEmpty());
            assertThat(stage.askedAbout("MARK-Y").getFirst().text()).contains("1 background run ended");
        }
    }

    @Test
    void the_plugin_alone_also_wakes_a_session_with_its_monitor(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory).with(SOON).withPlugin();
                var tmuxTerminal = stage.sit(OwnerSessionFixture.newSession())) {
            tmuxTerminal.awaitWords("❯");
            tmuxTerminal.type("MARK-P SCRIPT=" + A_WHILE
                    + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                            .replace("mcp__roost__", "mcp__plugin_roost_roost__")
                    + "|it%20is%20begun");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            int before = stage.askedAbout("MARK-P").size();
            Files.createFile(stage.user.project().resolve("go"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.askedAbout("MARK-P").size() > before);
            assertThat(stage.askedAbout("MARK-P").get(before).text())
                    .contains("Monitor event", "roost-notice id=\"d_", "1 background run ended");
        }
    }
}
