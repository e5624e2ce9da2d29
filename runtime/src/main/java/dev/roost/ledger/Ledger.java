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
 * Runs, attempts, events and notices. A write has happened, durably, when its method returns; a write that comes too
 * late for its attempt changes nothing and says so with {@code false} or an empty answer.
 */
public class Ledger implements AutoCloseable {

    /** In SQL, of an event {@code e} of a run {@code r}: whether there may be a notice that came with it. */
    public static final String NOTICED =
            "(e.kind IN ('ended', 'asked', 'adopted') OR (r.notify = 'changes' AND e.kind IN ('began', 'resuming', 'parked')))";

    final WriteContext writeContext;
    final ReadConnections reader;

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

    /** Over a store whose tables are there and up to date. */
    public Ledger(LedgerDatabase database, Clock clock) {
        this(
                new WriteContext(database, new GroupCommitWriter(database, clock, true), clock),
                new ReadConnections(database));
    }

    /** Over a writer and a reader that another ledger may share. */
    public Ledger(WriteContext context, ReadConnections reader) {
        this.writeContext = context;
        this.reader = reader;
        this.database = context.database();
        this.writer = context.writer();
        this.runs = new RunStore(database, reader);
        this.messages = new MessageStore(context, reader);
        this.deliveries = new DeliveryStore(context, reader);
        this.notices = new NoticeStore(context, reader, deliveries);
        this.sessions = new SessionStore(context, reader, notices);
        this.tokens = new TokenStore(context, reader);
        this.worktrees = new WorktreeStore(context, reader);
        this.pauses = new PauseStore(context, reader, deliveries);
        this.allEvents = new EventStore(database, reader);
        this.spend = new SpendStore(context, reader);
        this.submissionWrites = new SubmissionWrites(context);
        this.attemptWrites = new AttemptWrites(context, notices);
        this.completionWrites = new CompletionWrites(context, notices, submissionWrites);
    }

    /** For who shares the rows: a write about {@code keys}, and about the runs that it turns out to touch. */
    public <T> T write(Set<String> keys, Function<T, Collection<RunId>> about, Function<SqlConnection, T> work) {
        return writer.write(keys, about, work);
    }

    /** A write about who may run. */
    public <T> T writeWithClaimLock(Function<T, Collection<RunId>> about, Function<SqlConnection, T> work) {
        return writer.write(Set.of(GroupCommitWriter.CLAIM_LOCK), about, work);
    }

    public <T> T read(Function<SqlConnection, T> work) {
        return reader.with(work);
    }

    /** For a write to call: those of them that nobody else writes about, and from now on nobody does. */
    public Set<String> lockAtOnce(SqlConnection handle, Collection<String> keys) {
        return database.lockAtOnce(handle, keys);
    }

    /** For a write to call: something happened to a run. */
    public void addEvent(RunId run, int attempt, EventKind kind, String text) {
        writeContext.event(run, attempt, kind, text);
    }

    /** For a write to call that makes this step by itself. */
    public void step(FaultPoints.Step step) {
        writer.step(step);
    }

    /** Accepts a run: queued, attempt 1. Refused if that is one too many and {@code caps} say so. */
    public RunRecord submit(NewRun run, Caps caps) {
        return submissionWrites.submit(run, caps);
    }

    /**
     * Takes in a run that had its only attempt elsewhere, as over and as read: nobody is told of it. The run that this
     * {@code callKey} brought in before, if it did.
     */
    public RunRecord importRun(NewRun run, ImportedAttempt importedAttempt) {
        return submissionWrites.importRun(run, importedAttempt);
    }

    /**
     * Finds queued runs a slot each and makes them running, {@code most} of them; none if nothing is queued or no slot is
     * free. The owner with the fewest live runs comes first, then the oldest run.
     */
    public List<RunRecord> claim(Caps caps, int most) {
        return attemptWrites.claim(caps, most);
    }

    /** The same for one run. */
    public Optional<RunRecord> claimNext(Caps caps) {
        return claim(caps, 1).stream().findFirst();
    }

    /** The attempt's processes are there. */
    public boolean recordStarted(RunId run, int attempt, StartedProcesses startedProcesses) {
        return attemptWrites.recordStarted(run, attempt, startedProcesses);
    }

    /** The attempt has come this far. */
    public boolean recordProgress(RunId run, int attempt, AttemptProgress progress) {
        return attemptWrites.recordProgress(run, attempt, progress);
    }

    /** Where a running attempt is; a question comes with its notice. Changes nothing once it is being stopped. */
    public boolean recordPhase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return attemptWrites.recordPhase(run, attempt, phase, question);
    }

    /**
     * Queues the next attempt of an ended run, whose words are added {@code from} there on; empty if {@code attempt} is not
     * its latest, or has not ended.
     */
    public Optional<RunRecord> continueAfter(
            RunId run, int attempt, String by, Optional<String> callKey, StreamPosition from) {
        return completionWrites.continueAfter(run, attempt, by, callKey, from);
    }

    /** Ends a queued run, marks a running one as stopping, leaves an ended one alone; the run as it then is. */
    public Optional<RunRecord> requestStop(RunId run, StopReason stop) {
        return completionWrites.stop(run, _ -> true, stop);
    }

    /** The same for one attempt; a run that has another by now is left alone. */
    public void requestStop(RunId run, int attempt, StopReason stop) {
        completionWrites.stop(run, found -> found.latest().n() == attempt, stop);
    }

    /**
     * Ends the attempt: state, result, freed slot and notice in one transaction. False if this attempt no longer holds
     * the run; the late news is then kept as an event.
     */
    public boolean finish(RunId run, int attempt, AttemptEnd end) {
        return finish(run, attempt, end, _ -> true);
    }

    /** The same unless {@code still} says, in the very transaction, that it is too late for that. */
    public boolean finish(RunId run, int attempt, AttemptEnd end, Predicate<SqlConnection> still) {
        return completionWrites.finish(run, attempt, end, still);
    }

    /** output.md of this ended attempt has its last lines. */
    public void markOutputFinal(RunId run, int attempt) {
        writer.write(
                run,
                handle -> handle.execute(
                        "UPDATE attempt SET output_sealed = 1 WHERE run_id = ? AND n = ? AND ended_at IS NOT NULL",
                        run.text(),
                        attempt));
    }

    /** Adds a line to the run's timeline. */
    public void note(RunId run, int attempt, EventKind kind, String text) {
        // somebody may have removed the run meanwhile
        writer.write(run, handle -> {
            boolean there = handle.select("SELECT EXISTS (SELECT 1 FROM run WHERE id = ?)", run.text())
                    .one(SqlConnection::truth);
            if (there) writeContext.event(run, attempt, kind, text);
            return there;
        });
    }

    /** Forgets an ended run and all that belongs to it; a live one is left alone. */
    public boolean remove(RunId run) {
        return writer.write(run, handle -> {
            boolean gone = handle.execute("""
                            DELETE FROM run WHERE id = ?
                               AND NOT EXISTS (SELECT 1 FROM attempt WHERE run_id = run.id AND ended_at IS NULL)
                            """, run.text()) == 1;
            if (gone) {
                writer.discardEvents(run);
                writer.step(FaultPoints.Step.PRUNE);
            }
            return gone;
        });
    }

    /** What is written of runs and attempts. */
    public RunStore runs() {
        return runs;
    }

    /** What is said to live attempts. */
    public MessageStore messages() {
        return messages;
    }

    /** What owners are to be told. */
    public NoticeStore notices() {
        return notices;
    }

    /** Who is told, and when. */
    public SessionStore sessions() {
        return sessions;
    }

    /** Who is let in. */
    public TokenStore tokens() {
        return tokens;
    }

    /** What goes out beside the sessions. */
    public DeliveryStore deliveries() {
        return deliveries;
    }

    /** What is known of runs' worktrees. */
    public WorktreeStore worktrees() {
        return worktrees;
    }

    /** Times in which nobody looked after the runs. */
    public PauseStore pauses() {
        return pauses;
    }

    /** What happens to all runs, as it is committed. */
    public EventStore allEvents() {
        return allEvents;
    }

    /** How much of what there is. */
    public SpendStore spend() {
        return spend;
    }

    /** By the clock that says until when a run is parked. */
    public Instant time() {
        return reader.with(handle -> database.time(handle, writeContext.clock()));
    }

    /** Makes one write durable that changes nothing anybody reads; throws if that cannot be done. */
    public void checkWritable() {
        writer.write(database::writeProbe);
    }

    /** Who is told of what is durable, here or by others that share the ledger. */
    public CommitListeners listeners() {
        return writer.listeners();
    }

    /** What goes wrong on purpose. */
    public void setFaultPoints(FaultPoints faults) {
        writer.setFaultPoints(faults);
    }

    /** Writes a copy that could take this ledger's place, while it is in use. */
    public void backUp(Path copy) {
        database.backUp(copy);
    }

    /** What is wrong with the store itself, if anything is. */
    public Optional<String> integrityError() {
        return database.damage();
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
        database.close();
    }
}
