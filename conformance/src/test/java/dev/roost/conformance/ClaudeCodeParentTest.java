package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.run.Parent;
import dev.roost.run.Status;
import dev.roost.sessions.WakePolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real Claude Code session is told of its background runs: asserted by what its model was sent. */
class ClaudeCodeParentTest {

    @Test
    void a_run_that_ended_while_its_parent_was_dead_is_told_when_it_resumes_and_not_again(@TempDir Path directory)
            throws Exception {
        try (var stage = new ParentStage(directory)) {
            var session = ParentStage.newSession();
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
            assertThat(ParentStage.text(first)).contains("1 background run ended", "completed", "agent_output");
            assertThat(ParentStage.count(first, "<roost-notice id=")).isEqualTo(1);
            assertThat(stage.runs())
                    .singleElement()
                    .satisfies(run -> assertThat(run.status()).isEqualTo(Status.COMPLETED));
            assertThat(stage.roost().inbox(java.util.Optional.empty(), Stage.PERSON))
                    .isEmpty();

            stage.turn(session, true, "MARK-C SCRIPT=fine");
            var again = stage.askedAbout("MARK-C").getFirst();
            assertThat(ParentStage.count(again, "<roost-notice id="))
                    .as("only what is in its history: " + ParentStage.text(again))
                    .isEqualTo(1);
        }
    }

    /** As by default, but without the long pauses. */
    private static final WakePolicy SOON = new WakePolicy(
            WakePolicy.Mode.IDLE, Duration.ofMillis(500), 3, Duration.ofMillis(200), Duration.ofSeconds(2));

    @Test
    void a_session_that_waits_for_its_user_is_woken_when_a_run_ends(@TempDir Path directory) throws Exception {
        try (var stage = new ParentStage(directory).with(SOON);
                var terminal = stage.sit(ParentStage.newSession())) {
            terminal.awaitWords("❯");
            terminal.type("MARK-I SCRIPT=" + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                    + "|it%20is%20begun");
            stage.awaitState(Parent.State.IDLE);
            int before = stage.askedAbout("MARK-I").size();
            Files.createFile(stage.user.project().resolve("go"));

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.askedAbout("MARK-I").size() > before);
            var woken = stage.askedAbout("MARK-I").get(before);
            assertThat(ParentStage.text(woken))
                    .contains("SYSTEM NOTIFICATION", "<roost-notice id=", "1 background run ended", "completed");
            stage.awaitState(Parent.State.IDLE);
            assertThat(stage.roost().inbox(java.util.Optional.empty(), Stage.PERSON))
                    .isEmpty();
            assertThat(ParentStage.count(stage.model.asked().getLast(), "<roost-notice id="))
                    .as("told once")
                    .isEqualTo(1);
        }
    }
}
