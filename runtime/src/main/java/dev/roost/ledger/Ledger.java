package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.CommitListeners;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.LedgerDatabase;
import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import dev.roost.model.StopReason;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs, attempts, events and notices. A write is durable when its method returns. A write that comes too late for its
 * attempt changes nothing and returns {@code false} or an empty answer.
 */
public class Ledger implements AutoCloseable {

    /** An SQL condition on an event {@code e} of a run {@code r}: whether a notice may have been written with it. */
    public static final String NOTICED =
            "(e.kind IN ('ended', 'asked', 'adopted') OR (r.notify = 'changes' AND e.kind IN ('began', 'resuming', 'parked')))";

    final LedgerContext context;

    private final LedgerDatabase database;
    private final GroupCommitWriter writer;
    private final RunStore runs;
    private final MessageStore messages;
    private final DeliveryStore deliveries;
    private final NoticeStore notices;
    private final SessionStore sessions;
    private final TokenStore tokens;
    private final WorktreeStore worktrees;
    private final PauseStore pauses;
    private final EventStore allEvents;
    private final SpendStore spend;
    private final SubmissionWrites submissionWrites;
    private final AttemptWrites attemptWrites;
    private final CompletionWrites completionWrites;

    /** A ledger over a database whose schema is up to date. */
    public Ledger(LedgerDatabase database, Clock clock) {
        this(new LedgerContext(
                database, new GroupCommitWriter(database, clock, true), new ReadConnections(database), clock));
    }

    /** A ledger over a context that another ledger may share. */
    public Ledger(LedgerContext context) {
        this.context = context;
        this.database = context.database();
        this.writer = context.writer();
        this.runs = new RunStore(context);
        this.messages = new MessageStore(context);
        this.deliveries = new DeliveryStore(context);
        this.notices = new NoticeStore(context, deliveries);
        this.sessions = new SessionStore(context, notices);
        this.tokens = new TokenStore(context);
        this.worktrees = new WorktreeStore(context);
        this.pauses = new PauseStore(context, deliveries);
        this.allEvents = new EventStore(context);
        this.spend = new SpendStore(context);
        this.submissionWrites = new SubmissionWrites(context);
        this.attemptWrites = new AttemptWrites(context, notices);
        this.completionWrites = new CompletionWrites(context, notices, submissionWrites, attemptWrites);
    }

    /** A write of another package, with the locks of {@code keys}; {@code about} names the touched runs. */
    public <T> T write(Set<String> keys, Function<T, Collection<RunId>> about, Function<SqlConnection, T> work) {
        return writer.write(keys, about, work);
    }

    /** A write that holds the claim lock. */
    public <T> T writeWithClaimLock(Function<T, Collection<RunId>> about, Function<SqlConnection, T> work) {
        return writer.write(Set.of(GroupCommitWriter.CLAIM_LOCK), about, work);
    }

    public <T> T read(Function<SqlConnection, T> work) {
        return context.read(work);
    }

    /** Within a write: locks the keys that are free, without waiting, and returns them. */
    public Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys) {
        return database.lockAtOnce(handle, keys);
    }

    /** Within a write: adds an event to the run's timeline. */
    public void addEvent(RunId run, int attempt, EventKind kind, String text) {
        context.event(run, attempt, kind, text);
    }

    /** Within a write: records a fault point step of this write. */
    public void step(FaultPoints.Step step) {
        writer.step(step);
    }

    /** Accepts a run: queued, attempt 1. Refused if a cap is reached and {@code caps} refuse instead of queueing. */
    public RunRecord submit(NewRun run, Caps caps) {
        return submissionWrites.submit(run, caps);
    }

    /**
     * Imports an ended run whose only attempt was made by another tool. It counts as read, so there is no notice. Returns the
     * run that an earlier call with the same {@code callKey} imported, if there is one.
     */
    public RunRecord importRun(NewRun run, ImportedAttempt importedAttempt) {
        return submissionWrites.importRun(run, importedAttempt);
    }

    /**
     * Claims slots for at most {@code limit} queued runs, which become running. Returns an empty list if no run is queued or
     * no slot is free. The owner with the fewest live runs comes first, then the oldest run.
     */
    public List<RunRecord> claim(Caps caps, int limit) {
        return attemptWrites.claim(caps, limit);
    }

    /** Claims a slot for one queued run. */
    public Optional<RunRecord> claimNext(Caps caps) {
        return claim(caps, 1).stream().findFirst();
    }

    /** Records the attempt's processes after they started. */
    public boolean recordStarted(RunId run, int attempt, StartedProcesses startedProcesses) {
        return attemptWrites.recordStarted(run, attempt, startedProcesses);
    }

    /** Records how far the attempt has come. */
    public boolean recordProgress(RunId run, int attempt, AttemptProgress progress) {
        return attemptWrites.recordProgress(run, attempt, progress);
    }

    /** Records the phase of a running attempt; a question gets a notice. Changes nothing once the attempt is stopping. */
    public boolean recordPhase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return attemptWrites.recordPhase(run, attempt, phase, question);
    }

    /**
     * Queues the next attempt of an ended run; its output is appended at {@code from}. Empty if {@code attempt} is not the
     * run's latest attempt, or has not ended.
     */
    public Optional<RunRecord> continueAfter(
            RunId run, int attempt, String by, Optional<String> callKey, StreamPosition from) {
        return completionWrites.continueAfter(run, attempt, by, callKey, from);
    }

    /** Ends a queued run, marks a running run as stopping, does not change an ended run; returns the run afterwards. */
    public Optional<RunRecord> requestStop(RunId run, StopReason stop) {
        return completionWrites.stop(run, _ -> true, stop);
    }

    /** Stops the run if {@code attempt} is its latest attempt; otherwise changes nothing. */
    public void requestStop(RunId run, int attempt, StopReason stop) {
        completionWrites.stop(run, found -> found.latest().n() == attempt, stop);
    }

    /**
     * Ends the attempt: state, result, freed slot and notice in one transaction. False if this is no longer the run's live
     * attempt; the late end is then recorded as an event.
     */
    public boolean finish(RunId run, int attempt, AttemptEnd end) {
        return finish(run, attempt, end, _ -> true);
    }

    /** Ends the attempt unless {@code still}, evaluated in the same transaction, says that it is too late. */
    public boolean finish(RunId run, int attempt, AttemptEnd end, Predicate<SqlConnection> still) {
        return completionWrites.finish(run, attempt, end, still);
    }

    /** Records that the output.md of this ended attempt is complete. */
    public void markOutputFinal(RunId run, int attempt) {
        writer.write(
                run,
                handle -> handle.execute(
                        "UPDATE attempt SET output_sealed = 1 WHERE run_id = ? AND n = ? AND ended_at IS NOT NULL",
                        run.text(),
                        attempt));
    }

    /** Adds a line about the run's latest attempt to its timeline. */
    public void note(RunRecord run, EventKind kind, String text) {
        note(run.id(), run.latest().n(), kind, text);
    }

    /** Adds a line to the run's timeline. */
    public void note(RunId run, int attempt, EventKind kind, String text) {
        writer.write(run, handle -> {
            boolean exists = handle.select("SELECT EXISTS (SELECT 1 FROM run WHERE id = ?)", run.text())
                    .one(SqlConnection::truth);
            if (exists) context.event(run, attempt, kind, text); // the run may have been removed meanwhile
            return exists;
        });
    }

    /** Deletes an ended run and everything that belongs to it; a live run does not change. */
    public boolean remove(RunId run) {
        return writer.write(run, handle -> {
            boolean deleted = handle.execute("""
                            DELETE FROM run WHERE id = ?
                               AND NOT EXISTS (SELECT 1 FROM attempt WHERE run_id = run.id AND ended_at IS NULL)
                            """, run.text()) == 1;
            if (deleted) {
                writer.discardEvents(run);
                writer.step(FaultPoints.Step.PRUNE);
            }
            return deleted;
        });
    }

    public RunStore runs() {
        return runs;
    }

    public MessageStore messages() {
        return messages;
    }

    public NoticeStore notices() {
        return notices;
    }

    public SessionStore sessions() {
        return sessions;
    }

    public TokenStore tokens() {
        return tokens;
    }

    public DeliveryStore deliveries() {
        return deliveries;
    }

    public WorktreeStore worktrees() {
        return worktrees;
    }

    public PauseStore pauses() {
        return pauses;
    }

    public EventStore allEvents() {
        return allEvents;
    }

    public SpendStore spend() {
        return spend;
    }

    /** The current time of the clock by which runs are parked. */
    public Instant time() {
        return context.read(handle -> database.time(handle, context.clock()));
    }

    /** Commits a write that changes no data; throws if the ledger is not writable. */
    public void checkWritable() {
        writer.write(database::writeProbe);
    }

    /** Listeners for commits of this process and of other nodes that share the ledger. */
    public CommitListeners listeners() {
        return writer.listeners();
    }

    /** Sets the fault points of tests. */
    public void setFaultPoints(FaultPoints faults) {
        writer.setFaultPoints(faults);
    }

    /** Writes a complete copy of the ledger while it is in use. */
    public void backUp(Path copy) {
        database.backUp(copy);
    }

    /** Checks the database for damage; empty if it is intact. */
    public Optional<String> integrityError() {
        return database.damage();
    }

    @Override
    public void close() {
        writer.close();
        context.reader().close();
        database.close();
    }
}
