package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Cause;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Faults;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.Refused;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.run.RunState;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A ledger in SQL: one writer that commits in groups, readers apart. */
public final class SqlLedger implements Ledger {

    private final Store store;
    private final Clock clock;
    private final Writer writer;
    private final Reader reader;
    private final SqlDeliveries deliveries;
    private final SqlWorks works;
    private final SqlPauses pauses;
    private final Happenings happenings;
    private final Tallies tallies;

    /** Over a store whose tables are there and up to date. */
    public SqlLedger(Store store, Clock clock) {
        this(store, clock, new Writer(store, clock, true));
    }

    SqlLedger(Store store, Clock clock, Writer writer) {
        this.store = store;
        this.clock = clock;
        this.writer = writer;
        this.reader = new Reader(store);
        this.deliveries = new SqlDeliveries(store, writer, reader, clock);
        this.works = new SqlWorks(store.node(), writer, reader, clock);
        this.pauses = new SqlPauses(store.node(), writer, reader, clock, deliveries);
        this.happenings = new SqlHappenings(store, reader);
        this.tallies = new SqlTallies(reader);
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
        event(run, attempt, kind, text);
    }

    /** For a write to call that makes this step by itself. */
    public void step(Faults.Step step) {
        writer.step(step);
    }

    /** Tells the listeners what others have committed. */
    public void announce(Set<RunId> runs, Set<Owner> owners) {
        writer.announce(runs, owners);
    }

    /** After each commit of this node alone that touched a run. */
    public void onOwnCommit(Runnable listener) {
        writer.onOwnCommit(listener);
    }

    @Override
    public Run submit(NewRun run, Caps caps) {
        var keys = new HashSet<>(Set.of(run.id().text(), run.owner().id()));
        run.callKey().ifPresent(keys::add);
        if (caps.overflow() == Caps.Overflow.REFUSE) keys.add(Writer.GATE);
        return writer.write(keys, one -> Set.of(one.id()), handle -> {
            var again = run.callKey().flatMap(key -> Reader.startedBy(handle, key));
            if (again.isPresent()) return again.get();
            if (caps.overflow() == Caps.Overflow.REFUSE) Slots.refuseOneTooMany(handle, run.owner(), caps);
            run.name().ifPresent(name -> refuseTakenName(handle, name, run.owner()));
            long at = now();
            insert(handle, run, at);
            run.place().ifPresent(place -> SqlWorks.place(handle, run.id(), place));
            queue(handle, run.id(), 1, 1, Phase.WAITING_FOR_SLOT, Optional.empty(), Position.START, at);
            writer.step(Faults.Step.SUBMIT);
            event(run.id(), 1, EventKind.SUBMITTED, "by " + run.owner());
            return run.accepted(Instant.ofEpochMilli(at));
        });
    }

    private static void insert(Sql handle, NewRun run, long createdAt) {
        handle.execute(
                """
                INSERT INTO run (id, name, owner, agent, driver, profile, description, cwd, max_time_ms, max_tokens,
                                 max_cost_micros, max_turns, max_output, on_loss, depth, parent, notify, call_key,
                                 attempt, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                """,
                run.id().text(),
                run.name().orElse(null),
                run.owner().id(),
                run.agent(),
                run.driver(),
                run.profile(),
                run.description(),
                run.cwd().toString(),
                run.budget().maxTime().map(time -> (Object) time.toMillis()).orElse(null),
                run.budget().maxTokens().orElse(null),
                run.budget().maxCostMicros().orElse(null),
                run.budget().maxTurns().orElse(null),
                run.budget().maxOutput(),
                run.resumeOnLoss() ? "resume" : "report",
                run.depth(),
                run.parent().map(RunId::text).orElse(null),
                run.tell().word(),
                run.callKey().orElse(null),
                createdAt);
    }

    @Override
    public Run bringIn(NewRun run, Past past) {
        var keys = new HashSet<>(Set.of(run.id().text()));
        run.callKey().ifPresent(keys::add);
        return writer.write(keys, one -> Set.of(one.id()), handle -> {
            var again = run.callKey().flatMap(key -> Reader.startedBy(handle, key));
            if (again.isPresent()) return again.get();
            insert(handle, run, past.began().toEpochMilli());
            handle.execute(
                    "UPDATE run SET session_id = ?, holder = ? WHERE id = ?",
                    past.sessionId().orElse(null),
                    store.node(),
                    run.id().text());
            handle.execute(
                    """
                    INSERT INTO attempt (run_id, n, turn, status, cause, evidence, result, result_bytes, output_bytes, created_at,
                                         started_at, ended_at, read_at, node)
                    VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    run.id().text(),
                    past.outcome().status().word(),
                    past.outcome().cause().word(),
                    EvidenceJson.write(past.evidence()),
                    past.result().text().orElse(null),
                    past.result().bytes(),
                    past.outputBytes(),
                    past.began().toEpochMilli(),
                    past.began().toEpochMilli(),
                    past.ended().toEpochMilli(),
                    now(),
                    store.node());
            store.queued(handle, run.id(), 1); // it may be continued
            event(run.id(), 1, EventKind.BROUGHT_IN, past.evidence().note().orElse("from elsewhere"));
            return Reader.require(handle, run.id());
        });
    }

    private static void refuseTakenName(Sql handle, String name, Owner owner) {
        var taken =
                handle.select("""
                        SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.name = ? AND r.owner = ? AND a.ended_at IS NULL
                        """, name, owner.id()).list(Sql::text).stream().findFirst();
        if (taken.isPresent()) {
            throw new Refused(
                    "name_taken",
                    "A live run (%s) already has the name \"%s\".".formatted(taken.get(), name),
                    "Choose another name, or stop that run first.");
        }
    }

    /** What an attempt says is added to what those before it said. */
    private void queue(
            Sql handle,
            RunId run,
            int attempt,
            int turn,
            Phase phase,
            Optional<Instant> until,
            Position position,
            long at) {
        handle.execute(
                """
                INSERT INTO attempt (run_id, n, turn, status, phase, parked_until, output_bytes, transcript_bytes, created_at)
                VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?)
                """,
                run.text(),
                attempt,
                turn,
                phase.word(),
                until.map(Instant::toEpochMilli).orElse(null),
                position.outputBytes(),
                position.transcriptBytes(),
                at);
        store.queued(handle, run, attempt);
    }

    @Override
    public Instant time() {
        return reader.with(handle -> store.time(handle, clock));
    }

    @Override
    public List<Run> claim(Caps caps, int most) {
        return writer.write(
                Set.of(Writer.GATE),
                claimed -> claimed.stream().map(Run::id).toList(),
                handle -> Slots.next(handle, caps, now(), most).stream()
                        .flatMap(run -> claim(handle, run).stream())
                        .toList());
    }

    private Optional<Run> claim(Sql handle, RunId run) {
        if (store.lockAtOnce(handle, Set.of(run.text())).isEmpty())
            return Optional.empty(); // somebody stops it just now
        int won = handle.execute("""
                UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL, node = ?
                 WHERE run_id = ? AND status = 'queued'
                """, now(), store.node(), run.text());
        if (won == 0) return Optional.empty();
        var claimed = Reader.require(handle, run);
        writer.step(Faults.Step.CLAIM);
        event(run, claimed.latest().n(), EventKind.CLAIMED, "a slot was free");
        return Optional.of(claimed);
    }

    @Override
    public boolean began(RunId run, int attempt, Began began) {
        return writer.write(run, handle -> {
            int won = handle.execute(
                    """
                    UPDATE attempt SET perch_pid = ?, perch_start = ?, agent_pid = ?, agent_start = ?, boot_id = ?,
                                       began_mono_ns = ?, began_slept_ns = ?,
                                       phase = CASE phase WHEN 'starting' THEN 'working' ELSE phase END
                     WHERE run_id = ? AND n = ? AND status = 'running'
                    """,
                    began.perch().pid(),
                    began.perch().startTicks(),
                    began.agent().pid(),
                    began.agent().startTicks(),
                    began.bootId(),
                    began.monotonicNanos(),
                    began.sleptNanos(),
                    run.text(),
                    attempt);
            if (won == 1) {
                writer.step(Faults.Step.START);
                event(run, attempt, EventKind.BEGAN, "pid " + began.agent().pid());
                var now = changed(handle, run);
                boolean asked = isAsked(handle, now);
                writer.afterwards(meters -> meters.began(new Meters.Begun(now, asked, clock.now())));
            }
            return won == 1;
        });
    }

    /** Whether somebody asked for this attempt; else it goes on with what the one before it could not end. */
    private static boolean isAsked(Sql handle, Run run) {
        var attempt = run.latest();
        return attempt.n() == 1
                || handle.select(
                                "SELECT turn FROM attempt WHERE run_id = ? AND n = ?",
                                run.id().text(),
                                attempt.n() - 1)
                        .optional(Sql::count)
                        .filter(turn -> turn == attempt.turn())
                        .isEmpty();
    }

    @Override
    public boolean progressed(RunId run, int attempt, Progress progress) {
        return writer.write(run, handle -> Usages.record(handle, store.node(), run, attempt, progress, clock.now()));
    }

    @Override
    public boolean phase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return writer.write(run, handle -> {
            var before = Reader.find(handle, run).map(Run::latest);
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
                    question.map(_ -> (Object) now()).orElse(null),
                    run.text(),
                    attempt);
            if (won == 0) return false;
            if (before.flatMap(Attempt::asked).isPresent()) noMore(handle, run, "needs_input");
            if (question.isEmpty() && !before.flatMap(Attempt::phase).equals(Optional.of(phase)))
                event(run, attempt, EventKind.PHASE, phase.word());
            question.ifPresent(asked -> {
                event(run, attempt, EventKind.ASKED, asked.text());
                notice(handle, Reader.require(handle, run), "needs_input");
            });
            return true;
        });
    }

    @Override
    public Optional<Letter> post(RunId run, int attempt, Letter.Kind kind, Optional<String> questionId, Words words) {
        return writer.write(run, handle -> {
            if (!running(handle, run, attempt)) return Optional.empty();
            if (questionId.filter(id -> Mail.answered(handle, run, attempt, id)).isPresent()) {
                throw new Refused(
                        "answered",
                        "Somebody has answered that question already.",
                        "Look at the run again; it may have another.");
            }
            event(
                    run,
                    attempt,
                    EventKind.MESSAGE,
                    "%s from %s".formatted(kind.name().toLowerCase(Locale.ROOT), words.sender()));
            return Optional.of(Mail.post(handle, run, attempt, kind, questionId, words, now()));
        });
    }

    private static boolean running(Sql handle, RunId run, int attempt) {
        return Reader.find(handle, run)
                .filter(found -> found.latest().n() == attempt && found.status() == Status.RUNNING)
                .isPresent();
    }

    @Override
    public List<Line> send(RunId run, int attempt, List<Line> lines) {
        return writer.write(
                run, handle -> running(handle, run, attempt) ? Mail.send(handle, run, attempt, lines) : List.of());
    }

    @Override
    public Optional<Run> continueAfter(RunId run, int attempt, String by, Optional<String> callKey, Position from) {
        return writer.write(run, handle -> {
            var found = Reader.require(handle, run);
            var state = found.latest().state();
            var next = state.on(new RunEvent.Continued());
            if (state.attempt() != attempt || next.equals(state)) return Optional.empty();
            again(handle, found, found.latest().turn() + 1, Phase.WAITING_FOR_SLOT, Optional.empty(), from);
            handle.execute(
                    "UPDATE attempt SET call_key = ? WHERE run_id = ? AND n = ?",
                    callKey.orElse(null),
                    run.text(),
                    next.attempt());
            event(run, next.attempt(), EventKind.CONTINUED, "by " + by);
            return Reader.find(handle, run);
        });
    }

    @Override
    public Optional<Run> requestStop(RunId run, Stop stop) {
        return stop(run, _ -> true, stop);
    }

    @Override
    public void requestStop(RunId run, int attempt, Stop stop) {
        stop(run, found -> found.latest().n() == attempt, stop);
    }

    private Optional<Run> stop(RunId run, Predicate<Run> which, Stop stop) {
        return writer.write(run, handle -> {
            var found = Reader.find(handle, run);
            if (found.filter(which).isEmpty()) return found;
            var state = found.get().latest().state();
            var next = state.on(new RunEvent.StopRequested(stop));
            if (next.equals(state)) return found;
            int attempt = next.attempt();
            event(
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
            return Reader.find(handle, run);
        });
    }

    private End beforeItBegan(Stop stop, Attempt queued) {
        var evidence = Evidence.none().withNote("stopped by %s before it began".formatted(stop.who()));
        return new End(new RunEvent.StopRequested(stop), clock.now(), evidence, Result.none(), queued.progress());
    }

    @Override
    public boolean finish(RunId run, int attempt, End end) {
        return finish(run, attempt, end, _ -> true);
    }

    /** The same unless {@code still} says, in the very transaction, that it is too late for that. */
    public boolean finish(RunId run, int attempt, End end, Predicate<Sql> still) {
        return writer.write(run, handle -> {
            if (!still.test(handle)) return false;
            var found = Reader.require(handle, run);
            var state = found.latest().state();
            var next = state.on(end.how());
            if (state.attempt() != attempt || next.equals(state)) {
                event(run, attempt, EventKind.LATE, "came after the end and changed nothing: " + end.how());
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
                event(run.id(), attempt + 1, EventKind.RESUMING, cause.inWords());
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
                event(run.id(), attempt + 1, EventKind.PARKED, "until " + until);
            }
            case RunEvent.Claimed _, RunEvent.StopRequested _, RunEvent.Exited _, RunEvent.Continued _ ->
                throw new IllegalStateException(end.how() + " does not queue");
        }
        Mail.forward(handle, run.id(), attempt);
        changed(handle, run.id());
        handle.execute(
                "UPDATE attempt SET read_at = ended_at, output_sealed = 1 WHERE run_id = ? AND n = ?",
                run.id().text(),
                attempt); // nobody is told of it: the run goes on
    }

    private void again(Sql handle, Run run, int turn, Phase phase, Optional<Instant> until, Position position) {
        int next = run.latest().n() + 1;
        handle.execute("UPDATE run SET attempt = ? WHERE id = ?", next, run.id().text());
        queue(handle, run.id(), next, turn, phase, until, position, now());
    }

    /** In SQL, of an event {@code e} of a run {@code r}: whether there may be a notice that came with it. */
    public static final String NOTICED =
            "(e.kind IN ('ended', 'asked', 'adopted') OR (r.notify = 'changes' AND e.kind IN ('began', 'resuming', 'parked')))";

    private void notice(Sql handle, Run run, String kind) {
        writer.noticed(run.owner());
        long id = handle.select(
                        """
                        INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at)
                        SELECT ?, ?, ?, count(*) + 1, ?, ? FROM notice WHERE run_id = ? AND attempt = ? AND kind = ?
                        RETURNING id
                        """,
                        run.id().text(),
                        run.latest().n(),
                        kind,
                        run.owner().id(),
                        now(),
                        run.id().text(),
                        run.latest().n(),
                        kind)
                .one(Sql::number);
        deliveries.expect(handle, id, run.tell());
    }

    /** For who wants to hear of more than ends; what it was before is no news any more. */
    private Run changed(Sql handle, RunId run) {
        var now = Reader.require(handle, run);
        if (now.tell() != Notify.CHANGES) return now;
        noMore(handle, run, "changed");
        notice(handle, now, "changed");
        return now;
    }

    /** The end and its notice: one without the other does not exist. */
    private void end(Sql handle, Run run, Outcome outcome, End end) {
        close(handle, run, outcome, end);
        notice(handle, run, "ended");
    }

    private void noMore(Sql handle, RunId run, String kind) {
        acknowledge(handle, "run_id = ? AND kind = ?", run.text(), kind);
    }

    private void close(Sql handle, Run closing, Outcome outcome, End end) {
        var run = closing.id();
        int attempt = closing.latest().n();
        Usages.record(handle, store.node(), closing, attempt, end.progress(), clock.now());
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
                store.node(),
                run.text(),
                attempt);
        if (won != 1) throw new IllegalStateException("%s/%d had ended already".formatted(run, attempt));
        writer.step(Faults.Step.FINISH);
        if (closing.latest().asked().isPresent()) noMore(handle, run, "needs_input");
        if (closing.tell() == Notify.CHANGES) noMore(handle, run, "changed");
        event(
                run,
                attempt,
                EventKind.ENDED,
                "%s: %s".formatted(outcome.status().word(), outcome.cause().word()));
        writer.afterwards(meters -> meters.ended(new Meters.Ended(closing, outcome, end, clock.now())));
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
    public boolean read(RunId run, int attempt) {
        return writer.write(run, handle -> {
            int first = handle.execute("""
                    UPDATE attempt SET read_at = ?
                     WHERE run_id = ? AND n = ? AND ended_at IS NOT NULL AND read_at IS NULL
                    """, now(), run.text(), attempt);
            if (first == 0) return false;
            acknowledge(handle, "run_id = ? AND attempt = ?", run.text(), attempt);
            event(run, attempt, EventKind.READ, "its owner read the end");
            return true;
        });
    }

    @Override
    public void note(RunId run, int attempt, EventKind kind, String text) {
        // somebody may have removed the run meanwhile
        writer.write(run, handle -> {
            boolean there = handle.select("SELECT EXISTS (SELECT 1 FROM run WHERE id = ?)", run.text())
                    .one(Sql::truth);
            if (there) event(run, attempt, kind, text);
            return there;
        });
    }

    @Override
    public List<Long> acknowledge(List<Long> notices, Optional<Owner> owner) {
        return writer.write(handle -> {
            var acknowledged = new ArrayList<Long>();
            for (long id : notices) {
                acknowledged.addAll(acknowledge(
                        handle,
                        "id = ? AND owner = coalesce(?, owner)",
                        id,
                        owner.map(Owner::id).orElse(null)));
            }
            return acknowledged;
        });
    }

    /** Takes the pending notices for which {@code condition} holds off the list; which they were. */
    private List<Long> acknowledge(Sql handle, String condition, @Nullable Object... values) {
        record Row(long id, Optional<String> run, long since) {}
        var all = new ArrayList<@Nullable Object>();
        all.add(now());
        all.addAll(Arrays.asList(values));
        var rows = handle.select(
                        "UPDATE notice SET acked_at = ? WHERE acked_at IS NULL AND " + condition
                                + " RETURNING id, run_id, created_at",
                        all.toArray())
                .list(row -> new Row(
                        row.getLong("id"), Optional.ofNullable(row.getString("run_id")), row.getLong("created_at")));
        if (!rows.isEmpty()) writer.step(Faults.Step.ACKNOWLEDGE);
        for (var row : rows) row.run.ifPresent(run -> told(new RunId(run), row.id, row.since));
        return rows.stream().map(Row::id).toList();
    }

    private void told(RunId run, long notice, long since) {
        var waited = Duration.ofMillis(Math.max(0, now() - since));
        writer.afterwards(meters -> meters.acknowledged(run, notice, waited));
    }

    /** What becomes of a notice is part of its run's story. */
    private void event(Notice notice, EventKind kind, String text) {
        notice.ofRun().ifPresent(one -> event(one.run().id(), one.attempt().n(), kind, text));
    }

    private void event(RunId run, int attempt, EventKind kind, String text) {
        writer.happened(new Store.Happened(run.text(), attempt, now(), kind, text));
    }

    private long now() {
        return clock.now().toEpochMilli();
    }

    @Override
    public Optional<Run> startedBy(String callKey) {
        return reader.with(handle -> Reader.startedBy(handle, callKey));
    }

    @Override
    public Optional<Run> toldBy(String callKey) {
        return reader.with(handle -> Reader.toldBy(handle, callKey));
    }

    @Override
    public Heard hear(Report report, BiPredicate<Parent, List<Notice>> mayContinue) {
        return writer.write(report.owner(), handle -> {
            var parent = Parents.hear(handle, store.node(), report, clock.now());
            var arrived = Offers.arrived(handle, parent, report.event(), now());
            if (!arrived.isEmpty()) writer.step(Faults.Step.ACKNOWLEDGE);
            for (var notice : arrived) {
                event(notice, EventKind.TOLD, "its parent session has heard of it");
                notice.ofRun()
                        .ifPresent(one ->
                                told(one.run().id(), one.id(), one.createdAt().toEpochMilli()));
            }
            var offer = Offers.on(handle, parent, report.event(), mayContinue, now());
            return new Heard(parent, offer);
        });
    }

    @Override
    public Optional<Offer> wake(Owner owner, BiPredicate<Parent, List<Notice>> mayWake) {
        return writer.write(
                owner,
                handle -> Parents.here(handle, store.node(), owner)
                        .flatMap(parent -> Offers.begin(handle, parent, Offer.Occasion.WAKE, mayWake, now())));
    }

    @Override
    public boolean written(long offer) {
        return writer.write(handle -> {
            var written = Offers.written(handle, offer, now());
            if (written.isEmpty()) return false;
            var made = written.get();
            writer.step(Faults.Step.OFFER);
            if (made.occasion().begins()) Parents.goesOn(handle, made.owner(), clock.now());
            for (var notice : made.notices()) {
                event(
                        notice,
                        EventKind.OFFERED,
                        "%s to %s (%s)"
                                .formatted(
                                        made.nonce(),
                                        made.owner(),
                                        made.occasion().word()));
            }
            return true;
        });
    }

    @Override
    public boolean withdraw(long offer) {
        return writer.write(handle -> Offers.withdraw(handle, offer));
    }

    @Override
    public List<RunId> rehome(Owner from, Owner to) {
        return writer.write(Set.of(from.id(), to.id()), List::copyOf, handle -> {
            var runs = handle.select("""
                            SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                             WHERE r.owner = ? AND (a.ended_at IS NULL OR a.read_at IS NULL)
                            """, from.id()).list(row -> new RunId(Sql.text(row)));
            give(handle, runs, to);
            handle.execute("""
                    UPDATE notice SET owner = ? WHERE owner = ? AND pause IS NOT NULL AND acked_at IS NULL
                       AND NOT EXISTS (SELECT 1 FROM notice n WHERE n.owner = ? AND n.pause = notice.pause)
                    """, to.id(), from.id(), to.id());
            return runs;
        });
    }

    @Override
    public void adopt(List<RunId> runs, Owner to) {
        var keys = new HashSet<>(Set.of(to.id()));
        runs.forEach(run -> keys.add(run.text()));
        writer.write(keys, _ -> runs, handle -> {
            give(handle, runs, to);
            return runs;
        });
    }

    private void give(Sql handle, List<RunId> runs, Owner to) {
        for (var id : runs) {
            var run = Reader.require(handle, id);
            if (run.owner().equals(to)) continue;
            if (!run.status().ended()) run.name().ifPresent(name -> refuseTakenName(handle, name, to));
            handle.execute("UPDATE run SET owner = ? WHERE id = ?", to.id(), id.text());
            handle.execute("UPDATE notice SET owner = ? WHERE run_id = ? AND acked_at IS NULL", to.id(), id.text());
            event(id, run.latest().n(), EventKind.ADOPTED, "by %s, from %s".formatted(to, run.owner()));
        }
    }

    @Override
    public Optional<Parent> parent(Owner owner) {
        return reader.with(handle -> Parents.find(handle, owner));
    }

    @Override
    public Optional<Parent> parentHere(Owner owner) {
        return reader.with(handle -> Parents.here(handle, store.node(), owner));
    }

    @Override
    public Optional<Parent> parentIn(Parent.Harness process) {
        return reader.with(handle -> Parents.in(handle, process));
    }

    @Override
    public List<Parent> parents() {
        return reader.with(Parents::all);
    }

    @Override
    public List<Notice> untold(Owner owner) {
        return reader.with(handle -> Offers.untold(
                handle, owner, Parents.find(handle, owner).map(Parent::turn).orElse(0)));
    }

    @Override
    public void addToken(Token token) {
        writer.write(handle -> {
            Tokens.add(handle, token);
            return token;
        });
    }

    @Override
    public Optional<Token> token(String sha256) {
        return reader.with(handle -> Tokens.find(handle, sha256));
    }

    @Override
    public List<Token> tokens() {
        return reader.with(Tokens::all);
    }

    @Override
    public boolean tokenUsed(String id) {
        return writer.write(handle -> Tokens.used(handle, id, now()));
    }

    @Override
    public boolean revokeToken(String id) {
        return writer.write(handle -> Tokens.revoke(handle, id));
    }

    @Override
    public Deliveries deliveries() {
        return deliveries;
    }

    @Override
    public Works works() {
        return works;
    }

    @Override
    public Pauses pauses() {
        return pauses;
    }

    @Override
    public Happenings happenings() {
        return happenings;
    }

    @Override
    public Tallies tallies() {
        return tallies;
    }

    @Override
    public Optional<Run> find(RunId run) {
        return reader.with(handle -> Reader.find(handle, run));
    }

    @Override
    public List<Run> list(Query query) {
        return reader.with(handle -> Reader.list(handle, store, query));
    }

    @Override
    public List<Run> endedBefore(Instant time) {
        return reader.with(handle -> Reader.endedBefore(handle, time));
    }

    @Override
    public List<Run> running() {
        return reader.with(handle -> Reader.running(handle, store.node()));
    }

    @Override
    public List<RunId> runningIds() {
        return reader.with(handle -> Reader.runningIds(handle, store.node()));
    }

    @Override
    public List<Run> since(Instant since, Optional<Owner> owner) {
        return reader.with(handle -> Reader.since(handle, since, owner));
    }

    @Override
    public List<Run> named(String text, Optional<Owner> owner) {
        return reader.with(handle -> Reader.named(handle, text, owner));
    }

    @Override
    public List<Attempt> attempts(RunId run) {
        return reader.with(handle -> Reader.attempts(handle, run));
    }

    @Override
    public Optional<String> result(RunId run, int attempt) {
        return reader.with(handle -> Reader.result(handle, run, attempt));
    }

    @Override
    public List<Letter> letters(RunId run, int attempt) {
        return reader.with(handle -> Mail.letters(handle, run, attempt));
    }

    @Override
    public List<Run> withLateWords() {
        return reader.with(handle -> Mail.lateWords(handle, store));
    }

    @Override
    public List<Line> sent(RunId run, int attempt) {
        return reader.with(handle -> Mail.sent(handle, run, attempt));
    }

    @Override
    public Usage spentToday(Owner owner) {
        return reader.with(handle -> Usages.spent(handle, owner, clock.now()));
    }

    @Override
    public List<Event> events(RunId run) {
        return reader.with(handle -> Reader.events(handle, run));
    }

    @Override
    public List<Notice> pending(Optional<Owner> owner) {
        return reader.with(handle -> Reader.pending(handle, store, owner));
    }

    @Override
    public List<NoticeTrace> noticesOf(RunId run) {
        return reader.with(handle -> Reader.noticesOf(handle, run));
    }

    @Override
    public List<Run> unsealed() {
        return reader.with(handle -> Reader.unsealed(handle, store));
    }

    @Override
    public Optional<Run> unsealed(RunId run) {
        return reader.with(handle -> Reader.unsealed(handle, run));
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
        writer.measuredBy(meters);
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
        writer.onCommit(listener);
    }

    @Override
    public void onNotice(Consumer<Owner> listener) {
        writer.onNotice(listener);
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
        store.close();
    }
}
