package dev.roost.ledger;

import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Writes about a live attempt: the claim of a slot, its processes, progress, phase and questions. */
record AttemptWrites(WriteContext context, NoticeStore notices) {

    List<RunRecord> claim(Caps caps, int limit) {
        return context.writer()
                .write(
                        Set.of(GroupCommitWriter.CLAIM_LOCK),
                        claimed -> claimed.stream().map(RunRecord::id).toList(),
                        handle -> SlotQueries.next(handle, caps, context.now(), limit).stream()
                                .flatMap(run -> claim(handle, run).stream())
                                .toList());
    }

    private Optional<RunRecord> claim(SqlConnection handle, RunId run) {
        if (context.database().lockAtOnce(handle, Set.of(run.text())).isEmpty())
            return Optional.empty(); // another transaction holds the lock, for example a stop
        int won = handle.execute("""
                UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL, node = ?
                 WHERE run_id = ? AND status = 'queued'
                """, context.now(), context.node(), run.text());
        if (won == 0) return Optional.empty();
        var claimed = RunStore.require(handle, run);
        context.writer().step(FaultPoints.Step.CLAIM);
        context.event(run, claimed.latest().n(), EventKind.CLAIMED, "a slot was free");
        return Optional.of(claimed);
    }

    boolean recordStarted(RunId run, int attempt, StartedProcesses startedProcesses) {
        return context.writer().write(run, handle -> {
            int won = handle.execute(
                    """
                    UPDATE attempt SET perch_pid = ?, perch_start = ?, agent_pid = ?, agent_start = ?, boot_id = ?,
                                       began_mono_ns = ?, began_slept_ns = ?,
                                       phase = CASE phase WHEN 'starting' THEN 'working' ELSE phase END
                     WHERE run_id = ? AND n = ? AND status = 'running'
                    """,
                    startedProcesses.perch().pid(),
                    startedProcesses.perch().startTicks(),
                    startedProcesses.agent().pid(),
                    startedProcesses.agent().startTicks(),
                    startedProcesses.bootId(),
                    startedProcesses.monotonicNanos(),
                    startedProcesses.sleptNanos(),
                    run.text(),
                    attempt);
            if (won == 1) {
                context.writer().step(FaultPoints.Step.START);
                context.event(
                        run,
                        attempt,
                        EventKind.BEGAN,
                        "pid " + startedProcesses.agent().pid());
                var now = notices.changed(handle, run);
                boolean requested = isRequested(handle, now);
                context.writer()
                        .onDurable(metrics -> metrics.attemptStarted(new LedgerMetrics.AttemptStart(
                                now, requested, context.clock().now())));
            }
            return won == 1;
        });
    }

    /** Whether this attempt starts a turn; otherwise it continues a lost or parked attempt of the same turn. */
    private static boolean isRequested(SqlConnection handle, RunRecord run) {
        var attempt = run.latest();
        return attempt.n() == 1
                || handle.select(
                                "SELECT turn FROM attempt WHERE run_id = ? AND n = ?",
                                run.id().text(),
                                attempt.n() - 1)
                        .optional(SqlConnection::count)
                        .filter(turn -> turn == attempt.turn())
                        .isEmpty();
    }

    boolean recordProgress(RunId run, int attempt, AttemptProgress progress) {
        return context.writer()
                .write(
                        run,
                        handle -> UsageWrites.record(
                                handle,
                                context.node(),
                                run,
                                attempt,
                                progress,
                                context.clock().now()));
    }

    boolean recordPhase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return context.writer().write(run, handle -> {
            var before = RunStore.find(handle, run).map(RunRecord::latest);
            int won = handle.execute(
                    """
                    UPDATE attempt SET phase = ?, question_id = ?, question_kind = ?, question = ?, asked_at = ?
                     WHERE run_id = ? AND n = ? AND status = 'running' AND phase <> 'stopping'
                    """,
                    phase.word(),
                    question.map(Question::id).orElse(null),
                    question.map(asked -> asked.kind().name().toLowerCase(Locale.ROOT))
                            .orElse(null),
                    question.map(Question::text).orElse(null),
                    question.map(_ -> (Object) context.now()).orElse(null),
                    run.text(),
                    attempt);
            if (won == 0) return false;
            if (before.flatMap(AttemptRecord::asked).isPresent()) notices.retractPending(handle, run, "needs_input");
            if (question.isEmpty() && !before.flatMap(AttemptRecord::phase).equals(Optional.of(phase)))
                context.event(run, attempt, EventKind.PHASE, phase.word());
            question.ifPresent(asked -> {
                context.event(run, attempt, EventKind.ASKED, asked.text());
                notices.write(handle, RunStore.require(handle, run), "needs_input");
            });
            return true;
        });
    }
}
