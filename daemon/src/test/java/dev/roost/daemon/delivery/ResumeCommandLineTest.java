package dev.roost.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Only valid session ids are put on a command line. */
class ResumeCommandLineTest {

    private static boolean known(String owner, String harness) {
        return ResumeCommandLine.of(OwnerSession.unknown(new Owner(owner), harness, Instant.EPOCH))
                .isPresent();
    }

    @Test
    void only_sessions_of_known_harnesses_are_continued() {
        assertThat(known("claude:5f0c2a7e-1111-2222-3333-444455556666", "claude-code"))
                .isTrue();
        assertThat(known("opencode:ses_01abcDEF", "opencode")).isTrue();
        assertThat(known("codex:01a1-22", "codex")).isTrue();
        assertThat(known("gemini:5f0c2a7e", "gemini")).isFalse();
        assertThat(known("codex:/home/alice/project", "codex")).isFalse();
        assertThat(known("claude:--dangerously-skip-permissions", "claude-code"))
                .isFalse();
        assertThat(known("claude:a b", "claude-code")).isFalse();
    }
}
