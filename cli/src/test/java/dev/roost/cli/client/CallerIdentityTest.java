package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The owner that a command acts for, by its environment. */
class CallerIdentityTest {

    private static CallerIdentity in(Map<String, String> environment) {
        return CallerIdentity.of(environment, "alice");
    }

    @Test
    void in_a_plain_shell_the_user_is_the_operator() {
        assertThat(in(Map.of("PATH", "/bin"))).isEqualTo(new CallerIdentity("cli:alice", true));
    }

    @Test
    void a_command_acts_as_the_runs_owner_inside_a_run_and_as_the_session_inside_a_harness() {
        assertThat(in(Map.of("ROOST_OWNER", "claude:a"))).isEqualTo(new CallerIdentity("claude:a", false));
        assertThat(in(Map.of("CLAUDE_CODE_SESSION_ID", "b"))).isEqualTo(new CallerIdentity("claude:b", false));
        assertThat(in(Map.of("CODEX_THREAD_ID", "c"))).isEqualTo(new CallerIdentity("codex:c", false));
        assertThat(in(Map.of("ROOST_OWNER", "claude:a", "CLAUDE_CODE_SESSION_ID", "child")))
                .as("a run's own harness is inside the run")
                .isEqualTo(new CallerIdentity("claude:a", false));
    }

    @Test
    void in_a_nested_harness_the_session_is_always_the_same() {
        var claude = Map.of("CODEX_THREAD_ID", "c", "CLAUDE_CODE_SESSION_ID", "b");
        assertThat(in(claude)).isEqualTo(new CallerIdentity("claude:b", false));
        assertThat(in(Map.of("CODEX_THREAD_ID", "c", "CLAUDE_CODE_SESSION_ID", "b", "GEMINI_SESSION_ID", "g")))
                .isEqualTo(new CallerIdentity("gemini:g", false));
    }

    @Test
    void a_person_in_a_harness_can_act_as_the_operator() {
        assertThat(in(Map.of("CLAUDE_CODE_SESSION_ID", "b", "ROOST_OPERATOR", "1")))
                .isEqualTo(new CallerIdentity("cli:alice", true));
    }
}
