package dev.roost.ledger;

import dev.roost.base.ErrorCode;
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
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Writes about a live attempt: the claim of a slot, its processes, progress, phase and questions. Live runs are counted in the
 * transaction that adds one, and usage and spending are one transaction, so a crash counts nothing wrong.
 */
record AttemptWrites(LedgerContext context, NoticeStore notices) {

    List<RunRecord> claim(Caps caps, int limit) {
        return context.writer()
                .write(
                        Set.of(GroupCommitWriter.CLAIM_LOCK),
                        claimed -> claimed.stream().map(RunRecord::id).toList(),
                        handle -> next(handle, caps, limit).stream()
                                .flatMap(run -> claim(handle, run).stream())
                                .toList());
    }

    private Optional<RunRecord> claim(SqlConnection handle, RunId run) {
        if (context.database().lockAtOnce(handle, Set.of(run.text())).isEmpty())
            return Optional.empty(); // another transaction holds the lock, for example a stop
        int won = handle.execute("""
                UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL, node = ?
                 WHERE run_id = ? AND status = 'queued'
                """, context.now(), context.node(), run);
        if (won == 0) return Optional.empty();
        var claimed = RunStore.require(handle, run);
        context.writer().step(FaultPoints.Step.CLAIM);
        context.event(run, claimed.latest().n(), EventKind.CLAIMED, "a slot was free");
        return Optional.of(claimed);
    }

    boolean recordStarted(RunId run, int attempt, StartedProcesses startedProcesses) {
        return context.write(run, handle -> {
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
                    run,
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
                        .onDurable(metrics ->
                                metrics.attemptStarted(new LedgerMetrics.AttemptStart(now, requested, context.now())));
            }
            return won == 1;
        });
    }

    /** Whether this attempt starts a turn; otherwise it continues a lost or parked attempt of the same turn. */
    private static boolean isRequested(SqlConnection handle, RunRecord run) {
        var attempt = run.latest();
        return attempt.n() == 1
                || handle.select("SELECT turn FROM attempt WHERE run_id = ? AND n = ?", run.id(), attempt.n() - 1)
                        .optional(SqlConnection::count)
                        .filter(turn -> turn == attempt.turn())
                        .isEmpty();
    }

    boolean recordProgress(RunId run, int attempt, AttemptProgress progress) {
        return context.write(run, handle -> recordProgress(handle, RunStore.require(handle, run), attempt, progress));
    }

    boolean recordPhase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return context.write(run, handle -> {
            var before = RunStore.find(handle, run).map(RunRecord::latest);
            int won = handle.execute(
                    """
                    UPDATE attempt SET phase = ?, question_id = ?, question_kind = ?, question = ?, asked_at = ?
                     WHERE run_id = ? AND n = ? AND status = 'running' AND phase <> 'stopping'
                    """,
                    phase.word(),
                    question.map(Question::id),
                    question.map(asked -> asked.kind().name().toLowerCase(Locale.ROOT)),
                    question.map(Question::text),
                    question.map(_ -> context.now()),
                    run,
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

    /** Records the progress of a run that the caller has read in this transaction. */
    boolean recordProgress(SqlConnection handle, RunRecord found, int attempt, AttemptProgress progress) {
        var run = found.id();
        if (found.latest().n() != attempt || found.status().ended()) return false;
        if (progress.equals(found.latest().progress())) return true;
        var usage = progress.usage();
        handle.execute(
                """
                UPDATE attempt SET out_offset = ?, output_bytes = ?, transcript_bytes = ?, input_tokens = ?, cached_tokens = ?,
                                   output_tokens = ?, cost_micros = ?, turns = ?, active_ms = ?, waited_ms = ?
                 WHERE run_id = ? AND n = ? AND ended_at IS NULL
                """,
                progress.position().outOffset(),
                progress.position().outputBytes(),
                progress.position().transcriptBytes(),
                usage.input(),
                usage.cached(),
                usage.output(),
                usage.costMicros(),
                usage.turns(),
                progress.active(),
                progress.waited(),
                run,
                attempt);
        progress.sessionId()
                .filter(session -> !found.sessionId().equals(Optional.of(session)))
                .ifPresent(session -> handle.execute("UPDATE run SET session_id = ? WHERE id = ?", session, run));
        var before = found.latest().usage();
        spend(
                handle,
                found.owner(),
                usage.tokens() - before.tokens(),
                usage.costMicros().orElse(0L) - before.costMicros().orElse(0L));
        return true;
    }

    /** Adds to the owner's spending of the day; the amount is negative if an earlier estimate was too high. */
    private void spend(SqlConnection handle, Owner owner, long tokens, long micros) {
        if (tokens == 0 && micros == 0) return;
        handle.execute("""
                INSERT INTO spend (owner, day, node, tokens, cost_micros) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (owner, day, node) DO UPDATE SET tokens = spend.tokens + excluded.tokens,
                                                                 cost_micros = spend.cost_micros + excluded.cost_micros
                """, owner, day(context.now()), context.node(), tokens, micros);
    }

    static String day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC).toString();
    }

    static void refuseIfFull(SqlConnection handle, Owner owner, Caps caps) {
        record Live(int machine, int own) {}
        var live = handle.select("""
                        SELECT count(*) AS machine, count(*) FILTER (WHERE r.owner = ?) AS own
                          FROM attempt a JOIN run r ON r.id = a.run_id WHERE a.ended_at IS NULL
                        """, owner).one(row -> new Live(row.getInt("machine"), row.getInt("own")));
        boolean own = live.own >= caps.perOwner();
        if (!own && live.machine < caps.machine()) return;
        throw ErrorCode.OVER_CAPACITY.error(
                own
                        ? "%s has %d live runs, the maximum for this owner.".formatted(owner, live.own)
                        : "There are %d live runs, the maximum for this machine.".formatted(live.machine));
    }

    private static boolean hasQueuedRun(SqlConnection handle, Instant now) {
        return handle.select(
                        "SELECT EXISTS (SELECT 1 FROM attempt WHERE status = 'queued' AND coalesce(parked_until, 0) <= ?)",
                        now)
                .one(SqlConnection::truth);
    }

    /** Queued runs that get a slot now: first those whose owner then has the fewest live runs, then the oldest. */
    private List<RunId> next(SqlConnection handle, Caps caps, int limit) {
        var now = context.now();
        if (!hasQueuedRun(handle, now)) return List.of(); // the usual case, without a count of live runs
        var live = new HashMap<String, Integer>();
        var busy = handle.select("""
                        SELECT r.owner FROM attempt a JOIN run r ON r.id = a.run_id
                         WHERE a.ended_at IS NULL AND a.status = 'running'
                        """).list(SqlConnection::text);
        int free = Math.min(limit, caps.machine() - busy.size());
        if (free <= 0) return List.of();
        for (var owner : busy) live.merge(owner, 1, Integer::sum);
        record Candidate(RunId run, int live) {}
        return handle
                .select("""
                        SELECT a.run_id, r.owner FROM attempt a JOIN run r ON r.id = a.run_id
                         WHERE a.status = 'queued' AND coalesce(a.parked_until, 0) <= ? ORDER BY a.created_at, a.run_id
                        """, now)
                .list(row -> new Candidate(new RunId(row.getString(1)), live.merge(row.getString(2), 1, Integer::sum)))
                .stream()
                .filter(candidate -> candidate.live <= caps.perOwner())
                .sorted(Comparator.comparingInt(Candidate::live)) // a stable sort: equal ones stay ordered by age
                .limit(free)
                .map(Candidate::run)
                .toList();
    }
}
