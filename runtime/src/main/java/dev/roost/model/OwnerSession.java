package dev.roost.model;

import java.time.Instant;
import java.util.Optional;

/**
 * What is known of an owner's session. {@code turn} counts its turns; {@code fresh} means that it began and nobody has said
 * anything yet; {@code wakes} are the turns since the user's last that nobody typed.
 */
public record OwnerSession(
        Owner owner,
        String harness,
        Optional<String> home,
        SessionState state,
        int turn,
        boolean fresh,
        int wakes,
        Optional<Instant> promptedAt,
        Optional<Instant> interruptedAt,
        Instant seenAt,
        Optional<HarnessProcess> process) {

    /** What it last reported; {@code unknown} is what it is before its first turn has ended. */
    public enum SessionState {
        BUSY,
        IDLE,
        ENDED,
        UNKNOWN
    }

    /** The harness's process, and the boot it belongs to. */
    public record HarnessProcess(ProcessId id, String bootId) {}

    /** One that nothing has been heard of yet. */
    public static OwnerSession unknown(Owner owner, String harness, Instant now) {
        return new OwnerSession(
                owner,
                harness,
                Optional.empty(),
                SessionState.UNKNOWN,
                0,
                false,
                0,
                Optional.empty(),
                Optional.empty(),
                now,
                Optional.empty());
    }

    /** Where it is after {@code event}. A turn that began and never reported its end was interrupted. */
    public OwnerSession apply(SessionEvent event, Instant at) {
        boolean cutOff = state == SessionState.BUSY;
        var interrupted = cutOff ? Optional.of(at) : interruptedAt;
        return switch (event) {
            case SessionEvent.SessionSeen _ -> with(state, turn, fresh, wakes, promptedAt, interruptedAt, at);
            case SessionEvent.SessionStarted _ ->
                with(SessionState.UNKNOWN, turn + 1, true, wakes, promptedAt, interrupted, at);
            case SessionEvent.PromptSubmitted(var byUser)
            when !byUser ->
                with(SessionState.BUSY, cutOff || fresh ? turn : turn + 1, false, wakes, promptedAt, interruptedAt, at);
            case SessionEvent.PromptSubmitted _ ->
                with(SessionState.BUSY, fresh ? turn : turn + 1, false, 0, Optional.of(at), interrupted, at);
            case SessionEvent.ToolsFinished _ ->
                with(SessionState.BUSY, turn, false, wakes, promptedAt, interruptedAt, at);
            case SessionEvent.TurnEnded _ -> // which may come after the end of the session whose last turn it was
                with(
                        state == SessionState.ENDED ? SessionState.ENDED : SessionState.IDLE,
                        turn,
                        false,
                        wakes,
                        promptedAt,
                        interruptedAt,
                        at);
            case SessionEvent.TurnInterrupted _ ->
                with(SessionState.UNKNOWN, turn, false, wakes, promptedAt, Optional.of(at), at);
            case SessionEvent.TurnContinued _ ->
                with(SessionState.BUSY, turn + 1, false, wakes + 1, promptedAt, interruptedAt, at);
            case SessionEvent.SessionEnded _ ->
                with(SessionState.ENDED, turn, false, wakes, promptedAt, interrupted, at);
        };
    }

    private OwnerSession with(
            SessionState state,
            int turn,
            boolean fresh,
            int wakes,
            Optional<Instant> promptedAt,
            Optional<Instant> interruptedAt,
            Instant seenAt) {
        return new OwnerSession(
                owner, harness, home, state, turn, fresh, wakes, promptedAt, interruptedAt, seenAt, process);
    }

    /** The same where {@code home} and {@code process} say nothing new. */
    public OwnerSession at(Optional<String> home, Optional<HarnessProcess> process) {
        return new OwnerSession(
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
