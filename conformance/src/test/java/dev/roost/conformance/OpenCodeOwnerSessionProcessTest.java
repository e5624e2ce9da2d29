package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.WakePolicy;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.model.OwnerSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real OpenCode session learns of its background runs; asserted by the requests to its model. */
class OpenCodeOwnerSessionProcessTest {

    private static final WakePolicy SOON = new WakePolicy(
            WakePolicy.Mode.IDLE, Duration.ofMillis(500), 3, Duration.ofMillis(200), Duration.ofSeconds(2));

    @Test
    void an_end_while_the_owner_was_dead_is_reported_once_when_its_session_resumes(@TempDir Path directory)
            throws Exception {
        try (var stage = new OwnerSessionFixture(OwnerHarness.OPENCODE, directory)) {
            stage.turn(
                    "",
                    false,
                    "MARK-A SCRIPT=" + stage.background("first", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                            + "|begun");
            assertThat(stage.runs()).as(stage::asked).hasSize(1);
            var owner = stage.runs().getFirst().owner();
            assertThat(owner.id()).startsWith("opencode:ses_");
            Files.createFile(stage.user.project().resolve("go"));
            stage.awaitEnds(1);

            var session = owner.id().substring("opencode:".length());
            stage.turn(session, true, "MARK-B SCRIPT=bash?cmd=true|fine");
            var first = stage.askedAbout("MARK-B").getFirst();
            assertThat(first.text()).contains("1 background run ended", "completed", "agent_output");
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();

            stage.turn(session, true, "MARK-C SCRIPT=fine");
            var again = stage.askedAbout("MARK-C").getFirst();
            assertThat(again.count("<roost-notice id=")).as(again.text()).isEqualTo(1);
        }
    }

    @Test
    void an_idle_session_is_woken_when_a_run_ends(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(OwnerHarness.OPENCODE, directory).with(SOON);
                var tmuxTerminal = stage.sit("")) {
            tmuxTerminal.awaitWords("Ask anything");
            tmuxTerminal.type("MARK-I SCRIPT="
                    + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT") + "|it%20is%20begun");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            int before = stage.askedAbout("MARK-I").size();
            Files.createFile(stage.user.project().resolve("go"));

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> stage.askedAbout("MARK-I").size() > before);
            var woken = stage.askedAbout("MARK-I").get(before);
            assertThat(woken.text()).contains("<roost-notice id=", "1 background run ended", "completed");
            stage.awaitState(OwnerSession.SessionState.IDLE);
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();
        }
    }
}
