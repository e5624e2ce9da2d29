package dev.roost.model;

import java.time.Instant;
import java.util.Optional;

/**
 * The known state of an owner's session. {@code turn} counts its turns; {@code fresh} means that the session started and has
 * had no prompt yet; {@code wakes} counts the turns that Roost started since the user's last prompt.
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

    /** The state after the session's last report; {@code UNKNOWN} after its start and after an interrupted turn. */
    public enum SessionState {
        BUSY,
        IDLE,
        ENDED,
        UNKNOWN
    }

    /** The harness's process, and the id of the boot in which it runs. */
    public record HarnessProcess(ProcessId id, String bootId) {}

    /** A session without any report yet. */
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

    /** The session after {@code event}. A turn that began and never reported its end was interrupted. */
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
            case SessionEvent.TurnEnded _ -> // may arrive after the end of the session
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

    /** This session with {@code home} and {@code process}, where they are present. */
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
