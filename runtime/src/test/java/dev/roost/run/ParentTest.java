package dev.roost.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Where a parent session is, by what its harness reports. */
class ParentTest {

    private static final ParentEvent STARTED = new ParentEvent.Started();
    private static final ParentEvent PROMPT = new ParentEvent.Prompted(true);
    private static final ParentEvent WOKEN_PROMPT = new ParentEvent.Prompted(false);
    private static final ParentEvent TOOLS = new ParentEvent.ToolsDone();
    private static final ParentEvent STOP = new ParentEvent.TurnEnded(true);
    private static final ParentEvent CONTINUED = new ParentEvent.Continued();

    private Instant now = Instant.EPOCH;

    private Parent after(ParentEvent... events) {
        var parent = Parent.stranger(new Owner("claude:a"), "claude-code", now);
        for (var event : events) {
            now = now.plusSeconds(1);
            parent = parent.on(event, now);
        }
        return parent;
    }

    @Test
    void a_turn_lasts_from_the_prompt_to_its_reported_end() {
        assertThat(after(STARTED).state()).isEqualTo(Parent.State.UNKNOWN);
        assertThat(after(STARTED, PROMPT).state()).isEqualTo(Parent.State.BUSY);
        assertThat(after(STARTED, PROMPT, TOOLS).state()).isEqualTo(Parent.State.BUSY);
        assertThat(after(STARTED, PROMPT, TOOLS, STOP).state()).isEqualTo(Parent.State.IDLE);
        assertThat(after(STARTED, PROMPT, STOP, new ParentEvent.Ended()).state())
                .isEqualTo(Parent.State.ENDED);
    }

    @Test
    void the_end_of_a_session_is_not_undone_by_a_late_report_of_its_last_turn() {
        assertThat(after(STARTED, PROMPT, new ParentEvent.Ended(), STOP).state())
                .isEqualTo(Parent.State.ENDED);
        assertThat(after(STARTED, PROMPT, new ParentEvent.Ended(), STARTED, PROMPT)
                        .state())
                .isEqualTo(Parent.State.BUSY);
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
        assertThat(after(STARTED, PROMPT, new ParentEvent.Ended()).interruptedAt())
                .isEqualTo(Optional.of(now));
    }

    @Test
    void one_that_was_broken_off_is_not_idle() {
        assertThat(after(STARTED, PROMPT, new ParentEvent.Interrupted()).state())
                .isEqualTo(Parent.State.UNKNOWN);
    }

    @Test
    void turns_that_nobody_typed_are_counted_until_the_user_speaks() {
        var woken = after(STARTED, PROMPT, STOP, CONTINUED, WOKEN_PROMPT, STOP, CONTINUED, STOP);
        assertThat(woken.wakes()).isEqualTo(2);
        assertThat(woken.turn())
                .as("the harness's own prompt begins no other turn")
                .isEqualTo(3);
        assertThat(woken.interruptedAt()).isEmpty();
        assertThat(woken.on(PROMPT, now).wakes()).isZero();
    }

    @Test
    void a_prompt_that_the_harness_made_up_is_not_the_users() {
        var parent = after(STARTED, PROMPT, STOP);
        var promptedAt = parent.promptedAt();
        assertThat(parent.on(WOKEN_PROMPT, now.plusSeconds(9)).promptedAt()).isEqualTo(promptedAt);
    }
}
