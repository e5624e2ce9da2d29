package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.WakePolicy;
import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.model.ModelRequest;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.model.OwnerSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real session ends before its background run does: it is continued if the settings say so, otherwise not. */
class HeadlessWakeProcessTest {

    private static WakePolicy soon(WakePolicy.Mode mode) {
        return new WakePolicy(mode, Duration.ofMillis(500), 3, Duration.ofMillis(200), Duration.ofSeconds(2));
    }

    /** Starts a run and ends before it; then what its model does if the session is continued. */
    private static void leave(OwnerSessionFixture stage, String then) throws Exception {
        stage.turn(
                OwnerSessionFixture.newSession(),
                false,
                "MARK-H SCRIPT=" + stage.background("nap", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                        + "|it%20is%20begun|" + then);
        stage.awaitState(OwnerSession.SessionState.ENDED);
    }

    private static void awaitWords(OwnerSessionFixture stage, String words) {
        await().atMost(Duration.ofMinutes(3)) // OpenCode may take 100 s to start, because it resolves its plugins again
                .untilAsserted(
                        () -> assertThat(stage.service().events(stage.runs().getFirst()))
                                .as(() -> stage.service().sessions().all() + stage.asked())
                                .anySatisfy(event -> assertThat(event.text()).contains(words)));
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE_CODE", "OPENCODE"})
    void an_ended_session_is_continued_once_and_reads_the_reported_run(OwnerHarness harness, @TempDir Path directory)
            throws Exception {
        try (var stage = new OwnerSessionFixture(harness, directory).with(soon(WakePolicy.Mode.HEADLESS))) {
            leave(stage, "mcp:" + harness.tool("agent_list") + "?filter=unread|I%20have%20seen%20it");
            int before = stage.askedAbout("MARK-H").size();
            Files.createFile(stage.user.project().resolve("go"));

            awaitWords(stage, "its owner session acknowledged it");
            stage.awaitState(OwnerSession.SessionState.ENDED);
            var asked = stage.askedAbout("MARK-H");
            assertThat(asked).as(stage::asked).hasSize(before + 2); // one turn: a call of a tool, then the final answer
            assertThat(asked.subList(before, before + 2)).allSatisfy(one -> {
                assertThat(one.text()).contains("1 background run ended", "completed", "agent_output");
                assertThat(one.count("<roost-notice id=")).isEqualTo(1);
            });
            var answered = asked.getLast().modelRequest().messages().getLast();
            assertThat(answered.role()).isEqualTo(ModelRequest.Role.TOOL);
            assertThat(answered.text())
                    .as("reading needs no permission")
                    .contains(stage.runs().getFirst().id().text(), "completed", "unread");
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();
            assertThat(stage.service().sessions().all())
                    .singleElement()
                    .satisfies(session -> assertThat(session.wakes()).isEqualTo(1));
        }
    }

    @Test
    void by_default_an_ended_session_is_not_continued(@TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(directory).with(soon(WakePolicy.Mode.IDLE))) {
            leave(stage, "never");
            int before = stage.model.asked().size();
            Files.createFile(stage.user.project().resolve("go"));
            awaitWords(stage, "not woken: it has ended, and its wake policy is not headless");
            assertThat(stage.model.asked()).hasSize(before);
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .hasSize(1);
        }
    }
}
