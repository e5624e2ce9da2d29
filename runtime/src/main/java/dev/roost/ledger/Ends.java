package dev.roost.ledger;

import dev.roost.run.Cause;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Faults;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Phase;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.run.RunState;
import dev.roost.run.Stop;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** How attempts end: by themselves, by a stop, or so that the run goes on with another. */
record Ends(Pen pen, Notices notices, Acceptance acceptance) {

    /** Ends a queued run, marks a running one as stopping; the run as it then is. */
    Optional<Run> stop(RunId run, Predicate<Run> which, Stop stop) {
        return pen.writer().write(run, handle -> {
            var found = Records.find(handle, run);
            if (found.filter(which).isEmpty()) return found;
            var state = found.get().latest().state();
            var next = state.on(new RunEvent.StopRequested(stop));
            if (next.equals(state)) return found;
            int attempt = next.attempt();
            pen.event(
                    run,
                    attempt,
                    EventKind.STOP_REQUESTED,
                    "by %s (%s)".formatted(stop.who(), stop.cause().word()));
            switch (next) {
                case RunState.Ended(var _, var outcome) ->
                    end(
                            handle,
                            found.get(),
                            outcome,
                            beforeItBegan(stop, found.get().latest()));
                case RunState.Running _ -> handle.execute("""
                            UPDATE attempt SET phase = 'stopping', stop_cause = ?, stop_by = ?
                             WHERE run_id = ? AND n = ? AND status = 'running' AND stop_cause IS NULL
                            """, stop.cause().word(), stop.who(), run.text(), attempt);
                case RunState.Queued _ -> throw new IllegalStateException("a stop never queues");
            }
            return Records.find(handle, run);
        });
    }

    private End beforeItBegan(Stop stop, Attempt queued) {
        var evidence = Evidence.none().withNote("stopped by %s before it began".formatted(stop.who()));
        return new End(new RunEvent.StopRequested(stop), pen.clock().now(), evidence, Result.none(), queued.progress());
    }

    /** Ends the attempt unless {@code still} says, in the very transaction, that it is too late for that. */
    boolean finish(RunId run, int attempt, End end, Predicate<Sql> still) {
        return pen.writer().write(run, handle -> {
            if (!still.test(handle)) return false;
            var found = Records.require(handle, run);
            var state = found.latest().state();
            var next = state.on(end.how());
            if (state.attempt() != attempt || next.equals(state)) {
                pen.event(run, attempt, EventKind.LATE, "came after the end and changed nothing: " + end.how());
                return false;
            }
            switch (next) {
                case RunState.Ended(var _, var outcome) -> end(handle, found, outcome, end);
                case RunState.Queued _ -> goOn(handle, found, end);
                case RunState.Running _ -> throw new IllegalStateException("an end cannot leave a run running");
            }
            return true;
        });
    }

    /** The attempt is over, the run is not. */
    private void goOn(Sql handle, Run run, End end) {
        int attempt = run.latest().n();
        switch (end.how()) {
            case RunEvent.Lost(var cause, var _) -> {
                close(handle, run, new Outcome.Abandoned(cause), end);
                again(
                        handle,
                        run,
                        run.latest().turn(),
                        Phase.RESUMING,
                        Optional.empty(),
                        end.progress().position());
                pen.event(run.id(), attempt + 1, EventKind.RESUMING, cause.inWords());
            }
            case RunEvent.Parked(var until) -> {
                close(handle, run, new Outcome.Failed(Cause.RATE_LIMITED), end);
                again(
                        handle,
                        run,
                        run.latest().turn(),
                        Phase.PARKED,
                        Optional.of(until),
                        end.progress().position());
                pen.event(run.id(), attempt + 1, EventKind.PARKED, "until " + until);
            }
            case RunEvent.Claimed _, RunEvent.StopRequested _, RunEvent.Exited _, RunEvent.Continued _ ->
                throw new IllegalStateException(end.how() + " does not queue");
        }
        Letters.forward(handle, run.id(), attempt);
        notices.changed(handle, run.id());
        handle.execute(
                "UPDATE attempt SET read_at = ended_at, output_sealed = 1 WHERE run_id = ? AND n = ?",
                run.id().text(),
                attempt); // nobody is told of it: the run goes on
    }

    Optional<Run> continueAfter(RunId run, int attempt, String by, Optional<String> callKey, Position from) {
        return pen.writer().write(run, handle -> {
            var found = Records.require(handle, run);
            var state = found.latest().state();
            var next = state.on(new RunEvent.Continued());
            if (state.attempt() != attempt || next.equals(state)) return Optional.empty();
            again(handle, found, found.latest().turn() + 1, Phase.WAITING_FOR_SLOT, Optional.empty(), from);
            handle.execute(
                    "UPDATE attempt SET call_key = ? WHERE run_id = ? AND n = ?",
                    callKey.orElse(null),
                    run.text(),
                    next.attempt());
            pen.event(run, next.attempt(), EventKind.CONTINUED, "by " + by);
            return Records.find(handle, run);
        });
    }

    private void again(Sql handle, Run run, int turn, Phase phase, Optional<Instant> until, Position position) {
        int next = run.latest().n() + 1;
        handle.execute("UPDATE run SET attempt = ? WHERE id = ?", next, run.id().text());
        acceptance.queue(handle, run.id(), next, turn, phase, until, position, pen.now());
    }

    /** The end and its notice: one without the other does not exist. */
    private void end(Sql handle, Run run, Outcome outcome, End end) {
        close(handle, run, outcome, end);
        notices.write(handle, run, "ended");
    }

    private void close(Sql handle, Run closing, Outcome outcome, End end) {
        var run = closing.id();
        int attempt = closing.latest().n();
        Usages.record(
                handle,
                pen.node(),
                closing,
                attempt,
                end.progress(),
                pen.clock().now());
        int won = handle.execute(
                """
                UPDATE attempt SET status = ?, phase = NULL, cause = ?, evidence = ?, ended_at = ?,
                                   result = ?, result_bytes = ?, question_id = NULL, question_kind = NULL, question = NULL,
                                   node = ?
                 WHERE run_id = ? AND n = ? AND ended_at IS NULL
                """,
                outcome.status().word(),
                outcome.cause().word(),
                EvidenceJson.write(end.evidence()),
                end.at().toEpochMilli(),
                end.result().text().orElse(null),
                end.result().bytes(),
                pen.node(),
                run.text(),
                attempt);
        if (won != 1) throw new IllegalStateException("%s/%d had ended already".formatted(run, attempt));
        pen.writer().step(Faults.Step.FINISH);
        if (closing.latest().asked().isPresent()) notices.noMore(handle, run, "needs_input");
        if (closing.tell() == Notify.CHANGES) notices.noMore(handle, run, "changed");
        pen.event(
                run,
                attempt,
                EventKind.ENDED,
                "%s: %s".formatted(outcome.status().word(), outcome.cause().word()));
        pen.writer()
                .afterwards(meters -> meters.ended(
                        new Meters.Ended(closing, outcome, end, pen.clock().now())));
    }
}
