package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.OwnerHarness;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What real sessions of Codex and Gemini learn of their background runs; asserted by the requests to their models. */
class CodexGeminiOwnerSessionProcessTest {

    @ParameterizedTest
    @EnumSource(names = {"CODEX", "GEMINI"})
    void an_end_while_the_owner_was_away_is_reported_once_when_its_session_resumes(
            OwnerHarness harness, @TempDir Path directory) throws Exception {
        try (var stage = new OwnerSessionFixture(harness, directory)) {
            stage.turn(
                    "",
                    false,
                    "MARK-A SCRIPT=" + stage.background("first", "until [ -e go ]; do sleep 0.1; done; echo FRUIT")
                            + "|begun");
            assertThat(stage.runs()).as(stage::asked).hasSize(1);
            var owner = stage.runs().getFirst().owner();
            assertThat(owner.id()).matches(harness.word() + ":[0-9a-f-]{36}");
            Files.createFile(stage.user.project().resolve("go"));
            stage.awaitEnds(1);

            var session = owner.id().substring(harness.word().length() + 1);
            stage.turn(session, true, "MARK-B SCRIPT=bash?cmd=true|fine");
            var first = stage.askedAbout("MARK-B").getFirst();
            assertThat(first.text()).contains("1 background run ended", "completed", "agent_output");
            assertThat(stage.service().inbox(Optional.empty(), SingleAgentFixture.PERSON))
                    .isEmpty();

            stage.turn(session, true, "MARK-C SCRIPT=fine");
            var again = stage.askedAbout("MARK-C").getFirst();
            assertThat(again.count("<roost-notice id="))
                    .as("only in its history: %s", again.text())
                    .isLessThan(2);
        }
    }
}
