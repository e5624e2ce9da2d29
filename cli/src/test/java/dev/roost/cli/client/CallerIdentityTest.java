package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** As whom a command acts, by where it is typed. */
class CallerIdentityTest {

    private static CallerIdentity in(Map<String, String> environment) {
        return CallerIdentity.of(environment, "alice");
    }

    @Test
    void in_a_plain_shell_its_user_is_the_operator() {
        assertThat(in(Map.of("PATH", "/bin"))).isEqualTo(new CallerIdentity("cli:alice", true));
    }

    @Test
    void inside_a_run_it_acts_as_its_owner_and_inside_a_harness_as_that_session() {
        assertThat(in(Map.of("ROOST_OWNER", "claude:a"))).isEqualTo(new CallerIdentity("claude:a", false));
        assertThat(in(Map.of("CLAUDE_CODE_SESSION_ID", "b"))).isEqualTo(new CallerIdentity("claude:b", false));
        assertThat(in(Map.of("CODEX_THREAD_ID", "c"))).isEqualTo(new CallerIdentity("codex:c", false));
        assertThat(in(Map.of("ROOST_OWNER", "claude:a", "CLAUDE_CODE_SESSION_ID", "child")))
                .as("a run's own harness is inside the run")
                .isEqualTo(new CallerIdentity("claude:a", false));
    }

    @Test
    void in_a_harness_inside_another_it_is_always_the_same_session() {
        var claude = Map.of("CODEX_THREAD_ID", "c", "CLAUDE_CODE_SESSION_ID", "b");
        assertThat(in(claude)).isEqualTo(new CallerIdentity("claude:b", false));
        assertThat(in(Map.of("CODEX_THREAD_ID", "c", "CLAUDE_CODE_SESSION_ID", "b", "GEMINI_SESSION_ID", "g")))
                .isEqualTo(new CallerIdentity("gemini:g", false));
    }

    @Test
    void a_person_in_there_can_say_so() {
        assertThat(in(Map.of("CLAUDE_CODE_SESSION_ID", "b", "ROOST_OPERATOR", "1")))
                .isEqualTo(new CallerIdentity("cli:alice", true));
    }
}
