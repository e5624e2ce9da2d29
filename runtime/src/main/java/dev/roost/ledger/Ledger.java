package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
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

    final Pen pen;
    final Reader reader;

    private final Store store;
    private final Writer writer;
    private final Records runs;
    private final Letters letters;
    private final Deliveries deliveries;
    private final Notices notices;
    private final Sessions sessions;
    private final Tokens tokens;
    private final Works works;
    private final Pauses pauses;
    private final Happenings happenings;
    private final Tallies tallies;
    private final Acceptance acceptance;
    private final Underway underway;
    private final Ends ends;

    /** Over a store whose tables are there and up to date. */
    public Ledger(Store store, Clock clock) {
        this(new Pen(store, new Writer(store, clock, true), clock), new Reader(store));
    }

    /** Over a writer and a reader that another ledger may share. */
    Ledger(Pen pen, Reader reader) {
        this.pen = pen;
        this.reader = reader;
        this.store = pen.store();
        this.writer = pen.writer();
        this.runs = new Records(store, reader);
        this.letters = new Letters(pen, reader);
        this.deliveries = new Deliveries(pen, reader);
        this.notices = new Notices(pen, reader, deliveries);
        this.sessions = new Sessions(pen, reader, notices);
        this.tokens = new Tokens(pen, reader);
        this.works = new Works(pen, reader);
        this.pauses = new Pauses(pen, reader, deliveries);
        this.happenings = new Happenings(store, reader);
        this.tallies = new Tallies(pen, reader);
        this.acceptance = new Acceptance(pen);
        this.underway = new Underway(pen, notices);
        this.ends = new Ends(pen, notices, acceptance);
    }

    /** For who shares the rows: a write about {@code keys}, and about the runs that it turns out to touch. */
    public <T> T write(Set<String> keys, Function<T, Collection<RunId>> about, Function<Sql, T> work) {
        return writer.write(keys, about, work);
    }

    /** A write about who may run. */
    public <T> T writeAtTheGate(Function<T, Collection<RunId>> about, Function<Sql, T> work) {
        return writer.write(Set.of(Writer.GATE), about, work);
    }

    public <T> T read(Function<Sql, T> work) {
        return reader.with(work);
    }

    /** For a write to call: those of them that nobody else writes about, and from now on nobody does. */
    public Set<String> lockAtOnce(Sql handle, Collection<String> keys) {
        return store.lockAtOnce(handle, keys);
    }

    /** For a write to call: something happened to a run. */
    public void happens(RunId run, int attempt, EventKind kind, String text) {
        pen.event(run, attempt, kind, text);
    }

    /** For a write to call that makes this step by itself. */
    public void step(Faults.Step step) {
        writer.step(step);
    }

    /** Accepts a run: queued, attempt 1. Refused if that is one too many and {@code caps} say so. */
    public Run submit(NewRun run, Caps caps) {
        return acceptance.submit(run, caps);
    }

    /**
     * Takes in a run that had its only attempt elsewhere, as over and as read: nobody is told of it. The run that this
     * {@code callKey} brought in before, if it did.
     */
    public Run bringIn(NewRun run, Past past) {
        return acceptance.bringIn(run, past);
    }

    /**
     * Finds queued runs a slot each and makes them running, {@code most} of them; none if nothing is queued or no slot is
     * free. The owner with the fewest live runs comes first, then the oldest run.
     */
    public List<Run> claim(Caps caps, int most) {
        return underway.claim(caps, most);
    }

    /** The same for one run. */
    public Optional<Run> claimNext(Caps caps) {
        return claim(caps, 1).stream().findFirst();
    }

    /** The attempt's processes are there. */
    public boolean began(RunId run, int attempt, Began began) {
        return underway.began(run, attempt, began);
    }

    /** The attempt has come this far. */
    public boolean progressed(RunId run, int attempt, Progress progress) {
        return underway.progressed(run, attempt, progress);
    }

    /** Where a running attempt is; a question comes with its notice. Changes nothing once it is being stopped. */
    public boolean phase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return underway.phase(run, attempt, phase, question);
    }

    /**
     * Queues the next attempt of an ended run, whose words are added {@code from} there on; empty if {@code attempt} is not
     * its latest, or has not ended.
     */
    public Optional<Run> continueAfter(RunId run, int attempt, String by, Optional<String> callKey, Position from) {
        return ends.continueAfter(run, attempt, by, callKey, from);
    }

    /** Ends a queued run, marks a running one as stopping, leaves an ended one alone; the run as it then is. */
    public Optional<Run> requestStop(RunId run, Stop stop) {
        return ends.stop(run, _ -> true, stop);
    }

    /** The same for one attempt; a run that has another by now is left alone. */
    public void requestStop(RunId run, int attempt, Stop stop) {
        ends.stop(run, found -> found.latest().n() == attempt, stop);
    }

    /**
     * Ends the attempt: state, result, freed slot and notice in one transaction. False if this attempt no longer holds
     * the run; the late news is then kept as an event.
     */
    public boolean finish(RunId run, int attempt, End end) {
        return finish(run, attempt, end, _ -> true);
    }

    /** The same unless {@code still} says, in the very transaction, that it is too late for that. */
    public boolean finish(RunId run, int attempt, End end, Predicate<Sql> still) {
        return ends.finish(run, attempt, end, still);
    }

    /** output.md of this ended attempt has its last lines. */
    public void sealed(RunId run, int attempt) {
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
                    .one(Sql::truth);
            if (there) pen.event(run, attempt, kind, text);
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
                writer.forget(run);
                writer.step(Faults.Step.PRUNE);
            }
            return gone;
        });
    }

    /** What is written of runs and attempts. */
    public Records runs() {
        return runs;
    }

    /** What is said to live attempts. */
    public Letters letters() {
        return letters;
    }

    /** What owners are to be told. */
    public Notices notices() {
        return notices;
    }

    /** Who is told, and when. */
    public Sessions sessions() {
        return sessions;
    }

    /** Who is let in. */
    public Tokens tokens() {
        return tokens;
    }

    /** What goes out beside the sessions. */
    public Deliveries deliveries() {
        return deliveries;
    }

    /** What is known of runs' worktrees. */
    public Works works() {
        return works;
    }

    /** Times in which nobody looked after the runs. */
    public Pauses pauses() {
        return pauses;
    }

    /** What happens to all runs, as it is committed. */
    public Happenings happenings() {
        return happenings;
    }

    /** How much of what there is. */
    public Tallies tallies() {
        return tallies;
    }

    /** By the clock that says until when a run is parked. */
    public Instant time() {
        return reader.with(handle -> store.time(handle, pen.clock()));
    }

    /** Makes one write durable that changes nothing anybody reads; throws if that cannot be done. */
    public void tryWriting() {
        writer.write(store::touch);
    }

    /** Who is told of what is durable, here or by others that share the ledger. */
    public Listeners listeners() {
        return writer.listeners();
    }

    /** What goes wrong on purpose. */
    public void disturbedBy(Faults faults) {
        writer.disturbedBy(faults);
    }

    /** Writes a copy that could take this ledger's place, while it is in use. */
    public void backUp(Path copy) {
        store.backUp(copy);
    }

    /** What is wrong with the store itself, if anything is. */
    public Optional<String> damage() {
        return store.damage();
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
        store.close();
    }
}
