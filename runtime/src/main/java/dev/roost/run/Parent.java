package dev.roost.run;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known of an owner's session. {@code turn} counts its turns; {@code fresh} means that it began and nobody has said
 * anything yet; {@code wakes} are the turns since the user's last that nobody typed.
 */
public record Parent(
        Owner owner,
        String harness,
        Optional<String> home,
        State state,
        int turn,
        boolean fresh,
        int wakes,
        Optional<Instant> promptedAt,
        Optional<Instant> interruptedAt,
        Instant seenAt,
        Optional<Harness> process) {

    /** What it last reported; {@code unknown} is what it is before its first turn has ended. */
    public enum State {
        BUSY,
        IDLE,
        ENDED,
        UNKNOWN
    }

    /** The harness's process, and the boot it belongs to. */
    public record Harness(ProcessId id, String bootId) {}

    /** One that nothing has been heard of yet. */
    public static Parent stranger(Owner owner, String harness, Instant now) {
        return new Parent(
                owner,
                harness,
                Optional.empty(),
                State.UNKNOWN,
                0,
                false,
                0,
                Optional.empty(),
                Optional.empty(),
                now,
                Optional.empty());
    }

    /** Where it is after {@code event}. A turn that began and never reported its end was interrupted. */
    public Parent on(ParentEvent event, Instant at) {
        boolean cutOff = state == State.BUSY;
        var interrupted = cutOff ? Optional.of(at) : interruptedAt;
        return switch (event) {
            case ParentEvent.Seen _ -> with(state, turn, fresh, wakes, promptedAt, interruptedAt, at);
            case ParentEvent.Started _ -> with(State.UNKNOWN, turn + 1, true, wakes, promptedAt, interrupted, at);
            case ParentEvent.Prompted(var byUser)
            when !byUser ->
                with(State.BUSY, cutOff || fresh ? turn : turn + 1, false, wakes, promptedAt, interruptedAt, at);
            case ParentEvent.Prompted _ ->
                with(State.BUSY, fresh ? turn : turn + 1, false, 0, Optional.of(at), interrupted, at);
            case ParentEvent.ToolsDone _ -> with(State.BUSY, turn, false, wakes, promptedAt, interruptedAt, at);
            case ParentEvent.TurnEnded _ -> // which may come after the end of the session whose last turn it was
                with(
                        state == State.ENDED ? State.ENDED : State.IDLE,
                        turn,
                        false,
                        wakes,
                        promptedAt,
                        interruptedAt,
                        at);
            case ParentEvent.Interrupted _ -> with(State.UNKNOWN, turn, false, wakes, promptedAt, Optional.of(at), at);
            case ParentEvent.Continued _ -> with(State.BUSY, turn + 1, false, wakes + 1, promptedAt, interruptedAt, at);
            case ParentEvent.Ended _ -> with(State.ENDED, turn, false, wakes, promptedAt, interrupted, at);
        };
    }

    private Parent with(
            State state,
            int turn,
            boolean fresh,
            int wakes,
            Optional<Instant> promptedAt,
            Optional<Instant> interruptedAt,
            Instant seenAt) {
        return new Parent(owner, harness, home, state, turn, fresh, wakes, promptedAt, interruptedAt, seenAt, process);
    }

    /** The same where {@code home} and {@code process} say nothing new. */
    public Parent at(Optional<String> home, Optional<Harness> process) {
        return new Parent(
                owner,
                harness,
                home.or(this::home),
                state,
                turn,
                fresh,
                wakes,
                promptedAt,
                interruptedAt,
                seenAt,
                process.or(this::process));
    }
}
