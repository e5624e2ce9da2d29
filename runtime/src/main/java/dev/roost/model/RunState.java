package dev.roost.model;

import dev.roost.model.RunEvent.Claimed;
import dev.roost.model.RunEvent.Continued;
import dev.roost.model.RunEvent.Exited;
import dev.roost.model.RunEvent.Lost;
import dev.roost.model.RunEvent.Parked;
import dev.roost.model.RunEvent.StopRequested;
import java.util.Optional;

/**
 * The state machine of docs/lifecycle.md. Every pair of state and event is named, so a new state or event does not compile
 * until its transitions are defined.
 */
public sealed interface RunState {

    int attempt();

    record Queued(int attempt) implements RunState {}

    record Running(int attempt, Optional<StopReason> stopping) implements RunState {}

    record Ended(int attempt, Outcome outcome) implements RunState {}

    /** The state after {@code event}; the same object when the event changes nothing. */
    default RunState apply(RunEvent event) {
        record Step(RunState state, RunEvent event) {}
        return switch (new Step(this, event)) {
            case Step(Queued(var n), Claimed _) -> new Running(n, Optional.empty());
            case Step(Queued(var n), StopRequested(var stop)) -> new Ended(n, stop.outcome());
            case Step(Queued _, Exited _),
                    Step(Queued _, Lost _),
                    Step(Queued _, Parked _),
                    Step(Queued _, Continued _) -> this;

            case Step(Running(var n, var stopping), StopRequested(var stop)) ->
                stopping.isPresent() ? this : new Running(n, Optional.of(stop));
            case Step(Running(var n, var stopping), Exited(var outcome)) ->
                new Ended(n, stopping.map(StopReason::outcome).orElse(outcome));
            case Step(Running(var n, var stopping), Lost(var cause, var resume)) -> {
                if (stopping.isPresent()) yield new Ended(n, stopping.get().outcome());
                yield resume ? new Queued(n + 1) : new Ended(n, new Outcome.Abandoned(cause));
            }
            case Step(Running(var n, var stopping), Parked _) ->
                stopping.isPresent() ? new Ended(n, stopping.get().outcome()) : new Queued(n + 1);
            case Step(Running _, Claimed _), Step(Running _, Continued _) -> this;

            case Step(Ended(var n, var _), Continued _) -> new Queued(n + 1);
            // an end is immutable: a late event is recorded and changes nothing
            case Step(Ended _, Claimed _),
                    Step(Ended _, StopRequested _),
                    Step(Ended _, Exited _),
                    Step(Ended _, Lost _),
                    Step(Ended _, Parked _) -> this;
        };
    }

    default Status status() {
        return switch (this) {
            case Queued _ -> Status.QUEUED;
            case Running _ -> Status.RUNNING;
            case Ended(var _, var outcome) -> outcome.status();
        };
    }
}
