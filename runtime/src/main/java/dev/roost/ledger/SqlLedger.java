package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** A ledger in SQL: one writer that commits in groups, readers apart. */
public final class SqlLedger extends SqlRecords implements Ledger {

    /** In SQL, of an event {@code e} of a run {@code r}: whether there may be a notice that came with it. */
    public static final String NOTICED =
            "(e.kind IN ('ended', 'asked', 'adopted') OR (r.notify = 'changes' AND e.kind IN ('began', 'resuming', 'parked')))";

    private final Store store;
    private final Clock clock;
    private final Writer writer;
    private final Reader reader;
    private final Pen pen;
    private final SqlDeliveries deliveries;
    private final SqlNotices notices;
    private final SqlPauses pauses;
    private final Acceptance acceptance;
    private final Underway underway;
    private final Ends ends;

    /** Over a store whose tables are there and up to date. */
    public SqlLedger(Store store, Clock clock) {
        this(store, clock, new Writer(store, clock, true));
    }

    SqlLedger(Store store, Clock clock, Writer writer) {
        this(store, clock, writer, new Reader(store));
    }

    private SqlLedger(Store store, Clock clock, Writer writer, Reader reader) {
        super(store, reader);
        this.store = store;
        this.clock = clock;
        this.writer = writer;
        this.reader = reader;
        this.pen = new Pen(store, writer, clock);
        this.deliveries = new SqlDeliveries(pen, reader);
        this.notices = new SqlNotices(pen, reader, deliveries);
        this.pauses = new SqlPauses(pen, reader, deliveries);
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

    /** Tells the listeners what others have committed. */
    public void announce(Set<RunId> runs, Set<Owner> owners) {
        writer.listeners().announce(runs, owners);
    }

    /** After each commit of this node alone that touched a run. */
    public void onOwnCommit(Runnable listener) {
        writer.listeners().onOwnCommit(listener);
    }

    @Override
    public Run submit(NewRun run, Caps caps) {
        return acceptance.submit(run, caps);
    }

    @Override
    public Run bringIn(NewRun run, Past past) {
        return acceptance.bringIn(run, past);
    }

    @Override
    public List<Run> claim(Caps caps, int most) {
        return underway.claim(caps, most);
    }

    @Override
    public boolean began(RunId run, int attempt, Began began) {
        return underway.began(run, attempt, began);
    }

    @Override
    public boolean progressed(RunId run, int attempt, Progress progress) {
        return underway.progressed(run, attempt, progress);
    }

    @Override
    public boolean phase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return underway.phase(run, attempt, phase, question);
    }

    @Override
    public Optional<Run> continueAfter(RunId run, int attempt, String by, Optional<String> callKey, Position from) {
        return ends.continueAfter(run, attempt, by, callKey, from);
    }

    @Override
    public Optional<Run> requestStop(RunId run, Stop stop) {
        return ends.stop(run, _ -> true, stop);
    }

    @Override
    public void requestStop(RunId run, int attempt, Stop stop) {
        ends.stop(run, found -> found.latest().n() == attempt, stop);
    }

    @Override
    public boolean finish(RunId run, int attempt, End end) {
        return finish(run, attempt, end, _ -> true);
    }

    /** The same unless {@code still} says, in the very transaction, that it is too late for that. */
    public boolean finish(RunId run, int attempt, End end, Predicate<Sql> still) {
        return ends.finish(run, attempt, end, still);
    }

    @Override
    public void sealed(RunId run, int attempt) {
        writer.write(
                run,
                handle -> handle.execute(
                        "UPDATE attempt SET output_sealed = 1 WHERE run_id = ? AND n = ? AND ended_at IS NOT NULL",
                        run.text(),
                        attempt));
    }

    @Override
    public void note(RunId run, int attempt, EventKind kind, String text) {
        // somebody may have removed the run meanwhile
        writer.write(run, handle -> {
            boolean there = handle.select("SELECT EXISTS (SELECT 1 FROM run WHERE id = ?)", run.text())
                    .one(Sql::truth);
            if (there) pen.event(run, attempt, kind, text);
            return there;
        });
    }

    @Override
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

    @Override
    public Letters letters() {
        return new SqlLetters(pen, reader);
    }

    @Override
    public Notices notices() {
        return notices;
    }

    @Override
    public Sessions sessions() {
        return new SqlSessions(pen, reader, notices);
    }

    @Override
    public Tokens tokens() {
        return new SqlTokens(pen, reader);
    }

    @Override
    public Deliveries deliveries() {
        return deliveries;
    }

    @Override
    public Works works() {
        return new SqlWorks(pen, reader);
    }

    @Override
    public Pauses pauses() {
        return pauses;
    }

    @Override
    public Happenings happenings() {
        return new SqlHappenings(store, reader);
    }

    @Override
    public Tallies tallies() {
        return new SqlTallies(reader);
    }

    @Override
    public Instant time() {
        return reader.with(handle -> store.time(handle, clock));
    }

    @Override
    public Usage spentToday(Owner owner) {
        return reader.with(handle -> Usages.spent(handle, owner, clock.now()));
    }

    @Override
    public Tally tally(int owners) {
        var tally = reader.with(handle -> new Counting(store).take(handle, owners, clock.now()));
        return tally.with(writer.waiting(), store.bytes());
    }

    @Override
    public void tryWriting() {
        writer.write(store::touch);
    }

    @Override
    public void measuredBy(Meters meters) {
        writer.listeners().measuredBy(meters);
    }

    @Override
    public void disturbedBy(Faults faults) {
        writer.disturbedBy(faults);
    }

    @Override
    public void backUp(Path copy) {
        store.backUp(copy);
    }

    @Override
    public Optional<String> damage() {
        return store.damage();
    }

    @Override
    public void onCommit(Consumer<Set<RunId>> listener) {
        writer.listeners().onCommit(listener);
    }

    @Override
    public void onNotice(Consumer<Owner> listener) {
        writer.listeners().onNotice(listener);
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
        store.close();
    }
}
