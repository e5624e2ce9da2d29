package dev.roost.ledger;

import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.EvidenceJson;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.Evidence;
import dev.roost.model.Notify;
import dev.roost.model.Outcome;
import dev.roost.model.Phase;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.RunState;
import dev.roost.model.StopReason;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** Ends attempts: by their exit, by a stop, or with a next attempt of the same run. */
record CompletionWrites(
        LedgerContext context, NoticeStore notices, SubmissionWrites submissionWrites, AttemptWrites attemptWrites) {

    /** Ends a queued run or marks a running run as stopping, if {@code condition} holds; returns the run afterwards. */
    Optional<RunRecord> stop(RunId run, Predicate<RunRecord> condition, StopReason stop) {
        return context.write(run, handle -> {
            var found = RunStore.find(handle, run);
            if (found.filter(condition).isEmpty()) return found;
            var state = found.get().latest().state();
            var next = state.apply(new RunEvent.StopRequested(stop));
            if (next.equals(state)) return found;
            int attempt = next.attempt();
            context.event(
                    run,
                    attempt,
                    EventKind.STOP_REQUESTED,
                    "by %s (%s)".formatted(stop.requestedBy(), stop.cause().word()));
            switch (next) {
                case RunState.Ended(var _, var outcome) ->
                    end(
                            handle,
                            found.get(),
                            outcome,
                            endBeforeStart(stop, found.get().latest()));
                case RunState.Running _ -> handle.execute("""
                            UPDATE attempt SET phase = 'stopping', stop_cause = ?, stop_by = ?
                             WHERE run_id = ? AND n = ? AND status = 'running' AND stop_cause IS NULL
                            """, stop.cause().word(), stop.requestedBy(), run, attempt);
                case RunState.Queued _ -> throw new IllegalStateException("a stop never queues");
            }
            return RunStore.find(handle, run);
        });
    }

    private AttemptEnd endBeforeStart(StopReason stop, AttemptRecord queued) {
        var evidence = Evidence.none().withNote("stopped by %s before it began".formatted(stop.requestedBy()));
        return new AttemptEnd(
                new RunEvent.StopRequested(stop), context.now(), evidence, AttemptResult.none(), queued.progress());
    }

    /** Ends the attempt unless {@code still}, evaluated in the same transaction, says that it is too late. */
    boolean finish(RunId run, int attempt, AttemptEnd end, Predicate<SqlConnection> still) {
        return context.write(run, handle -> {
            if (!still.test(handle)) return false;
            var found = RunStore.require(handle, run);
            var state = found.latest().state();
            var next = state.apply(end.how());
            if (state.attempt() != attempt || next.equals(state)) {
                context.event(run, attempt, EventKind.LATE, "came after the end and changed nothing: " + end.how());
                return false;
            }
            switch (next) {
                case RunState.Ended(var _, var outcome) -> end(handle, found, outcome, end);
                case RunState.Queued _ -> continueRun(handle, found, end);
                case RunState.Running _ -> throw new IllegalStateException("an end cannot leave a run running");
            }
            return true;
        });
    }

    /** Ends the attempt and queues the run's next one. */
    private void continueRun(SqlConnection handle, RunRecord run, AttemptEnd end) {
        int attempt = run.latest().n();
        var from = end.progress().position();
        int turn = run.latest().turn();
        switch (end.how()) {
            case RunEvent.Lost(var cause, var _) -> {
                close(handle, run, new Outcome.Abandoned(cause), end);
                queueNextAttempt(handle, run, turn, Phase.RESUMING, Optional.empty(), from);
                context.event(run.id(), attempt + 1, EventKind.RESUMING, cause.inWords());
            }
            case RunEvent.Parked(var until) -> {
                close(handle, run, new Outcome.Failed(Cause.RATE_LIMITED), end);
                queueNextAttempt(handle, run, turn, Phase.PARKED, Optional.of(until), from);
                context.event(run.id(), attempt + 1, EventKind.PARKED, "until " + until);
            }
            case RunEvent.Claimed _, RunEvent.StopRequested _, RunEvent.Exited _, RunEvent.Continued _ ->
                throw new IllegalStateException(end.how() + " does not queue");
        }
        MessageStore.forward(handle, run.id(), attempt);
        notices.changed(handle, run.id());
        handle.execute(
                "UPDATE attempt SET read_at = ended_at, output_sealed = 1 WHERE run_id = ? AND n = ?",
                run.id(),
                attempt); // this end gets no notice: the run continues
    }

    Optional<RunRecord> continueAfter(
            RunId run, int attempt, String by, Optional<String> callKey, StreamPosition from) {
        return context.write(run, handle -> {
            var found = RunStore.require(handle, run);
            var state = found.latest().state();
            var next = state.apply(new RunEvent.Continued());
            if (state.attempt() != attempt || next.equals(state)) return Optional.empty();
            queueNextAttempt(handle, found, found.latest().turn() + 1, Phase.WAITING_FOR_SLOT, Optional.empty(), from);
            handle.execute("UPDATE attempt SET call_key = ? WHERE run_id = ? AND n = ?", callKey, run, next.attempt());
            context.event(run, next.attempt(), EventKind.CONTINUED, "by " + by);
            return RunStore.find(handle, run);
        });
    }

    private void queueNextAttempt(
            SqlConnection handle,
            RunRecord run,
            int turn,
            Phase phase,
            Optional<Instant> until,
            StreamPosition position) {
        int next = run.latest().n() + 1;
        handle.execute("UPDATE run SET attempt = ? WHERE id = ?", next, run.id());
        submissionWrites.queue(handle, run.id(), next, turn, phase, until, position, context.now());
    }

    /** Writes the end and its notice in one transaction. */
    private void end(SqlConnection handle, RunRecord run, Outcome outcome, AttemptEnd end) {
        close(handle, run, outcome, end);
        notices.write(handle, run, "ended");
    }

    private void close(SqlConnection handle, RunRecord closing, Outcome outcome, AttemptEnd end) {
        var run = closing.id();
        int attempt = closing.latest().n();
        attemptWrites.recordProgress(handle, closing, attempt, end.progress());
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
                end.at(),
                end.result().text(),
                end.result().bytes(),
                context.node(),
                run,
                attempt);
        if (won != 1) throw new IllegalStateException("%s/%d had ended already".formatted(run, attempt));
        context.writer().step(FaultPoints.Step.FINISH);
        if (closing.latest().asked().isPresent()) notices.retractPending(handle, run, "needs_input");
        if (closing.notifyMode() == Notify.CHANGES) notices.retractPending(handle, run, "changed");
        context.event(
                run,
                attempt,
                EventKind.ENDED,
                "%s: %s".formatted(outcome.status().word(), outcome.cause().word()));
        context.writer()
                .onDurable(metrics -> metrics.attemptEnded(new LedgerMetrics.AttemptEndMetrics(
                        closing, outcome, end, context.clock().now())));
    }
}
