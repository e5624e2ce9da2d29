package dev.roost.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What an agent logged decides which ends of its run are possible. */
class AgentLogTest {

    private static AgentLog log(OptionalInt end) {
        return new AgentLog(List.of(new ExactProcess(4711, 99)), List.of(), end, false);
    }

    @Test
    void an_undisturbed_agent_gets_the_end_of_its_exit_status() {
        assertThat(log(OptionalInt.of(0)).possible(false)).containsExactly("completed", "completed_empty");
        assertThat(log(OptionalInt.of(3)).possible(false)).containsExactly("failed");
    }

    @Test
    void an_agent_that_did_not_exit_with_0_never_completed() {
        var others = List.of("abandoned", "canceled_by_user", "failed");
        assertThat(log(OptionalInt.empty()).possible(false)).containsExactlyElementsOf(others);
        assertThat(log(OptionalInt.empty()).possible(true)).containsExactlyElementsOf(others);
        assertThat(log(OptionalInt.of(3)).possible(true)).containsExactlyElementsOf(others);
    }

    @Test
    void a_fault_allows_any_end_of_an_agent_that_finished() {
        assertThat(log(OptionalInt.of(0)).possible(true))
                .containsExactly("abandoned", "canceled_by_user", "completed", "completed_empty", "failed");
    }
}
