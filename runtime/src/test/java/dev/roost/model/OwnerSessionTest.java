package dev.roost.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The state of an owner session after the reports of its harness. */
class OwnerSessionTest {

    private static final SessionEvent STARTED = new SessionEvent.SessionStarted();
    private static final SessionEvent PROMPT = new SessionEvent.PromptSubmitted(true);
    private static final SessionEvent WOKEN_PROMPT = new SessionEvent.PromptSubmitted(false);
    private static final SessionEvent TOOLS = new SessionEvent.ToolsFinished();
    private static final SessionEvent STOP = new SessionEvent.TurnEnded(true);
    private static final SessionEvent CONTINUED = new SessionEvent.TurnContinued();

    private Instant now = Instant.EPOCH;

    private OwnerSession after(SessionEvent... events) {
        var session = OwnerSession.unknown(new Owner("claude:a"), "claude-code", now);
        for (var event : events) {
            now = now.plusSeconds(1);
            session = session.apply(event, now);
        }
        return session;
    }

    @Test
    void a_turn_lasts_from_the_prompt_to_its_reported_end() {
        assertThat(after(STARTED).state()).isEqualTo(OwnerSession.SessionState.UNKNOWN);
        assertThat(after(STARTED, PROMPT).state()).isEqualTo(OwnerSession.SessionState.BUSY);
        assertThat(after(STARTED, PROMPT, TOOLS).state()).isEqualTo(OwnerSession.SessionState.BUSY);
        assertThat(after(STARTED, PROMPT, TOOLS, STOP).state()).isEqualTo(OwnerSession.SessionState.IDLE);
        assertThat(after(STARTED, PROMPT, STOP, new SessionEvent.SessionEnded()).state())
                .isEqualTo(OwnerSession.SessionState.ENDED);
    }

    @Test
    void a_late_report_of_the_last_turn_does_not_undo_the_end_of_a_session() {
        assertThat(after(STARTED, PROMPT, new SessionEvent.SessionEnded(), STOP).state())
                .isEqualTo(OwnerSession.SessionState.ENDED);
        assertThat(after(STARTED, PROMPT, new SessionEvent.SessionEnded(), STARTED, PROMPT)
                        .state())
                .isEqualTo(OwnerSession.SessionState.BUSY);
    }

    @Test
    void the_first_prompt_belongs_to_the_turn_in_which_the_session_began() {
        assertThat(after(STARTED).turn()).isEqualTo(1);
        assertThat(after(STARTED, PROMPT, TOOLS, STOP).turn()).isEqualTo(1);
        assertThat(after(STARTED, PROMPT, STOP, PROMPT).turn()).isEqualTo(2);
        assertThat(after(STARTED, PROMPT, STOP, STARTED, PROMPT).turn()).isEqualTo(2);
    }

    @Test
    void a_turn_that_began_and_never_reported_its_end_was_interrupted() {
        assertThat(after(STARTED, PROMPT, STOP, PROMPT).interruptedAt()).isEmpty();
        assertThat(after(STARTED, PROMPT, PROMPT).interruptedAt()).isEqualTo(Optional.of(now));
        assertThat(after(STARTED, PROMPT, TOOLS, STARTED).interruptedAt()).isEqualTo(Optional.of(now));
        assertThat(after(STARTED, PROMPT, new SessionEvent.SessionEnded()).interruptedAt())
                .isEqualTo(Optional.of(now));
    }

    @Test
    void an_interrupted_session_is_not_idle() {
        assertThat(after(STARTED, PROMPT, new SessionEvent.TurnInterrupted()).state())
                .isEqualTo(OwnerSession.SessionState.UNKNOWN);
    }

    @Test
    void turns_without_a_prompt_are_counted_until_the_users_next_prompt() {
        var woken = after(STARTED, PROMPT, STOP, CONTINUED, WOKEN_PROMPT, STOP, CONTINUED, STOP);
        assertThat(woken.wakes()).isEqualTo(2);
        assertThat(woken.turn())
                .as("the harness's own prompt begins no other turn")
                .isEqualTo(3);
        assertThat(woken.interruptedAt()).isEmpty();
        assertThat(woken.apply(PROMPT, now).wakes()).isZero();
    }

    @Test
    void a_prompt_of_the_harness_does_not_count_as_the_users() {
        var session = after(STARTED, PROMPT, STOP);
        var promptedAt = session.promptedAt();
        assertThat(session.apply(WOKEN_PROMPT, now.plusSeconds(9)).promptedAt()).isEqualTo(promptedAt);
    }
}
