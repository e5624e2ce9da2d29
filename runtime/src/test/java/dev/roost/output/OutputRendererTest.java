package dev.roost.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.FinalReport;
import dev.roost.model.Cause;
import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class OutputRendererTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final JsonMapper JSON = new JsonMapper();
    private static final List<AgentOutput> ALL = List.of(
            new AgentOutput.Session("s"),
            new AgentOutput.Model("m"),
            new AgentOutput.Text("hello"),
            new AgentOutput.ToolStarted("1", "Bash: make"),
            new AgentOutput.ToolEnded("1", true, "exit status 2"),
            new AgentOutput.Note("a retry"),
            new AgentOutput.UsageTotal(Usage.NONE),
            new AgentOutput.QuestionAsked(new Question("q", Question.Kind.PERMISSION, "May I?")),
            new AgentOutput.QuestionClosed("q"),
            new AgentOutput.RateLimit(Optional.of(NOW), "limited"),
            new AgentOutput.TurnReport(new FinalReport.Failure(Cause.EXIT_CODE, "it broke")));

    @Test
    void the_type_words_of_a_transcript_do_not_change() {
        assertThat(ALL.stream()
                        .map(output -> JSON.readTree(OutputRenderer.json(output, 1, NOW))
                                .path("type")
                                .asString()))
                .containsExactly(
                        "session",
                        "model",
                        "text",
                        "tool_started",
                        "tool_ended",
                        "note",
                        "used",
                        "asks",
                        "settled",
                        "limited",
                        "last");
    }

    @Test
    void a_transcript_line_renders_the_same_text_as_the_output_it_was_written_from() {
        for (var output : ALL) {
            var line = JSON.readTree(OutputRenderer.json(output, 1, NOW));
            assertThat(OutputRenderer.text(line)).isEqualTo(OutputRenderer.text(output));
        }
    }
}
