package dev.roost.agents.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentState;
import dev.roost.fuzz.AgentStreamSamples;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of a line does not grow with the agent's output before it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentStreamScaleTest {

    private static final int MANY = 5_000;

    /** A new tool call with each line, none of which ends. */
    private static final Map<String, String> BEGINS = Map.of(
            "claude",
            "{\"type\":\"assistant\",\"message\":{\"id\":\"m%1$d\",\"usage\":{\"input_tokens\":1},\"content\":[{\"type\":\"tool_use\",\"id\":\"t%1$d\",\"name\":\"Bash\"}]}}",
            "codex",
            "{\"type\":\"item.started\",\"item\":{\"id\":\"t%1$d\",\"type\":\"command_execution\",\"command\":\"ls\"}}",
            "opencode",
            "{\"type\":\"tool_use\",\"part\":{\"callID\":\"t%1$d\",\"tool\":\"bash\",\"state\":{}}}",
            "gemini",
            "{\"type\":\"tool_use\",\"tool_id\":\"t%1$d\",\"tool_name\":\"ls\"}",
            "acp",
            "{\"method\":\"session/request_permission\",\"id\":%1$d,\"params\":{\"toolCall\":{\"toolCallId\":\"t%1$d\"}}}");

    /** The allocated bytes for so many lines, which do not depend on the machine's load. */
    private static long work(String driver, int lines) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        var protocol = AgentStreamSamples.dialog(driver);
        long before = threads.getCurrentThreadAllocatedBytes();
        var state = AgentState.NOTHING;
        for (int i = 0; i < lines; i++)
            for (var output : protocol.parseLine(BEGINS.getOrDefault(driver, "").formatted(i)))
                state = state.apply(output);
        assertThat(state.tools().size() + state.questions().size()).isLessThan(1_100);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode", "gemini", "acp"})
    void twice_as_many_lines_take_about_twice_the_time(String driver) {
        work(driver, 100);
        assertThat(work(driver, 2 * MANY)).isLessThan(3 * work(driver, MANY));
    }

    /** A search of the whole paragraph for each chunk would take an hour. */
    @Test
    void an_endless_paragraph_is_not_searched_again_for_each_chunk() {
        var words = new AcpText();
        var piece = AcpReplay.JSON.readTree("{\"content\":{\"text\":\"%s\"}}".formatted("word ".repeat(40)));
        for (int i = 0; i < 200_000; i++) assertThat(words.consume(piece)).isEmpty();
        assertThat(words.takeRest()).hasSize(1);
    }

    @Test
    void a_paragraph_break_is_found_even_if_split_between_chunks() {
        var words = new AcpText();
        assertThat(words.consume(AcpReplay.JSON.readTree("{\"content\":{\"text\":\"one\\n\"}}")))
                .isEmpty();
        assertThat(words.consume(AcpReplay.JSON.readTree("{\"content\":{\"text\":\"\\ntwo\"}}")))
                .containsExactly(new AgentOutput.Text("one\n\n"));
        assertThat(words.takeRest()).containsExactly(new AgentOutput.Text("two"));
    }
}
