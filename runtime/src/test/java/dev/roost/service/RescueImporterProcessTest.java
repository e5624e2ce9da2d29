package dev.roost.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.model.Status;
import dev.roost.rescue.LostAgent;
import dev.roost.testing.AgentScriptFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An agent that another tool lost is imported completely or not at all. */
class RescueImporterProcessTest extends AgentScriptFixture {

    private static final LostAgent LOST = new LostAgent(
            LostAgent.Tool.CLAUDE,
            LostAgent.Kind.AGENT,
            "agent-1",
            "session-1",
            Optional.of("conversation-1"),
            "look around",
            Optional.of(Path.of("/")),
            Instant.parse("2026-01-01T00:00:00Z"),
            Instant.parse("2026-01-01T00:10:00Z"),
            LostAgent.State.CUT,
            "half way there",
            Optional.of("Bash: make"),
            "its program is gone",
            Path.of("/transcript"));

    @Test
    void an_import_that_the_ledger_refuses_leaves_no_files_and_succeeds_when_retried() throws IOException {
        ledger("CREATE TRIGGER full BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no more'); END");
        for (int i = 0; i < 2; i++)
            assertThatThrownBy(() -> service.rescueImporter().importRun(LOST, Map.of()))
                    .hasStackTraceContaining("no more");

        assertThat(home.runs()).isEmptyDirectory();
        assertThat(home.submissions().remaining()).isEmpty();

        ledger("DROP TRIGGER full");
        var run = service.rescueImporter().importRun(LOST, Map.of());
        assertThat(run.status()).isEqualTo(Status.ABANDONED);
        assertThat(service.rescueImporter().importRun(LOST, Map.of()).id()).isEqualTo(run.id());
        assertThat(text(run))
                .startsWith("half way there\n\n→ Bash: make\n")
                .containsOnlyOnce("found by roost rescue: its program is gone (/transcript)")
                .containsOnlyOnce("\nabandoned");
        assertThat(home.submissions().remaining()).isEmpty();
    }
}
