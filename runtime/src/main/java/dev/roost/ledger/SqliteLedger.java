package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Refused;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import dev.roost.run.RunState;
import dev.roost.run.Stop;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** The default ledger: one SQLite file, one writer that commits in groups, readers apart. */
public final class SqliteLedger implements Ledger {

    private final SqliteFile file;
    private final Clock clock;
    private final Writer writer;
    private final Reader reader;

    private SqliteLedger(SqliteFile file, Clock clock, Writer writer, Reader reader) {
        this.file = file;
        this.clock = clock;
        this.writer = writer;
        this.reader = reader;
    }

    /** Opens the ledger in {@code file}, made or migrated as needed. */
    public static SqliteLedger open(Path file, Clock clock) {
        var database = new SqliteFile(file);
        database.migrate();
        return new SqliteLedger(database, clock, new Writer(database.writing()), new Reader(database));
    }

    @Override
    public Run submit(NewRun run, Caps caps) {
        return writer.write(run.id(), handle -> {
            if (caps.overflow() == Caps.Overflow.REFUSE) Slots.refuseOneTooMany(handle, run.owner(), caps);
            run.name().ifPresent(name -> refuseTakenName(handle, name, run.owner()));
            handle.execute(
                    """
                    INSERT INTO run (id, name, owner, agent, driver, description, cwd, max_time_ms, max_output, on_loss,
                                     depth, parent, attempt, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                    """,
                    run.id().text(),
                    run.name().orElse(null),
                    run.owner().id(),
                    run.agent(),
                    run.driver(),
                    run.description(),
                    run.cwd().toString(),
                    run.budget().maxTime().map(time -> (Object) time.toMillis()).orElse(null),
                    run.budget().maxOutput(),
                    run.resumeOnLoss() ? "resume" : "report",
                    run.depth(),
                    run.parent().map(RunId::text).orElse(null),
                    now());
            queue(handle, run.id(), 1, Phase.WAITING_FOR_SLOT);
            event(handle, run.id(), 1, "submitted", "by " + run.owner());
            return Reader.require(handle, run.id());
        });
    }

    private static void refuseTakenName(Handle handle, String name, Owner owner) {
        var taken = handle.select("""
                        SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.name = ? AND r.owner = ? AND a.ended_at IS NULL
                        """, name, owner.id()).mapTo(String.class).findFirst();
        if (taken.isPresent()) {
            throw new Refused(
                    "name_taken",
                    "A live run (%s) already has the name \"%s\".".formatted(taken.get(), name),
                    "Choose another name, or stop that run first.");
        }
    }

    private void queue(Handle handle, RunId run, int attempt, Phase phase) {
        handle.execute(
                "INSERT INTO attempt (run_id, n, status, phase, created_at) VALUES (?, ?, 'queued', ?, ?)",
                run.text(),
                attempt,
                phase.word(),
                now());
    }

    @Override
    public Optional<Run> claimNext(Caps caps) {
        return writer.write(handle -> Slots.next(handle, caps).flatMap(run -> claim(handle, run)));
    }

    private Optional<Run> claim(Handle handle, RunId run) {
        handle.execute("""
                UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?
                 WHERE run_id = ? AND status = 'queued'
                """, now(), run.text());
        var claimed = Reader.require(handle, run);
        event(handle, run, claimed.latest().n(), "claimed", "a slot was free");
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
            if (won == 1)
                event(handle, run, attempt, "began", "pid " + began.agent().pid());
            return won == 1;
        });
    }

    @Override
    public boolean progressed(RunId run, int attempt, Position position) {
        return writer.write(
                run,
                handle -> handle.execute("""
                                UPDATE attempt SET out_offset = ?, output_bytes = ?
                                 WHERE run_id = ? AND n = ? AND status = 'running'
                                """, position.outOffset(), position.outputBytes(), run.text(), attempt) == 1);
    }

    @Override
    public Optional<Run> requestStop(RunId run, Stop stop) {
        return writer.write(run, handle -> {
            var found = Reader.find(handle, run);
            if (found.isEmpty()) return found;
            var state = found.get().latest().state();
            var next = state.on(new RunEvent.StopRequested(stop));
            if (next.equals(state)) return found;
            int attempt = next.attempt();
            event(
                    handle,
                    run,
                    attempt,
                    "stop_requested",
                    "by %s (%s)".formatted(stop.who(), stop.cause().word()));
            switch (next) {
                case RunState.Ended(var _, var outcome) -> end(handle, found.get(), outcome, beforeItBegan(stop));
                case RunState.Running _ -> handle.execute("""
                            UPDATE attempt SET phase = 'stopping', stop_cause = ?, stop_by = ?
                             WHERE run_id = ? AND n = ? AND status = 'running' AND stop_cause IS NULL
                            """, stop.cause().word(), stop.who(), run.text(), attempt);
                case RunState.Queued _ -> throw new IllegalStateException("a stop never queues");
            }
            return Reader.find(handle, run);
        });
    }

    private End beforeItBegan(Stop stop) {
        var evidence = Evidence.none().withNote("stopped by %s before it began".formatted(stop.who()));
        return new End(new RunEvent.StopRequested(stop), clock.now(), evidence, Result.none(), Position.START);
    }

    @Override
    public boolean finish(RunId run, int attempt, End end) {
        return writer.write(run, handle -> {
            var found = Reader.require(handle, run);
            var state = found.latest().state();
            var next = state.on(end.how());
            if (state.attempt() != attempt || next.equals(state)) {
                event(handle, run, attempt, "late", "came after the end and changed nothing: " + end.how());
                return false;
            }
            switch (next) {
                case RunState.Ended(var _, var outcome) -> end(handle, found, outcome, end);
                case RunState.Queued(var resumed) -> {
                    var cause = ((RunEvent.Lost) end.how()).cause();
                    close(handle, run, attempt, new Outcome.Abandoned(cause), end);
                    handle.execute("UPDATE run SET attempt = ? WHERE id = ?", resumed, run.text());
                    queue(handle, run, resumed, Phase.RESUMING);
                    event(handle, run, resumed, "resuming", cause.inWords());
                }
                case RunState.Running _ -> throw new IllegalStateException("an end cannot leave a run running");
            }
            return true;
        });
    }

    /** The end and its notice: one without the other does not exist. */
    private void end(Handle handle, Run run, Outcome outcome, End end) {
        int attempt = run.latest().n();
        close(handle, run.id(), attempt, outcome, end);
        handle.execute(
                "INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at) VALUES (?, ?, 'ended', 1, ?, ?)",
                run.id().text(),
                attempt,
                run.owner().id(),
                now());
    }

    private void close(Handle handle, RunId run, int attempt, Outcome outcome, End end) {
        int won = handle.execute(
                """
                UPDATE attempt SET status = ?, phase = NULL, cause = ?, evidence = ?, ended_at = ?,
                                   result = ?, result_bytes = ?, out_offset = ?, output_bytes = ?
                 WHERE run_id = ? AND n = ? AND ended_at IS NULL
                """,
                outcome.status().word(),
                outcome.cause().word(),
                EvidenceJson.write(end.evidence()),
                end.at().toEpochMilli(),
                end.result().text().orElse(null),
                end.result().bytes(),
                end.position().outOffset(),
                end.position().outputBytes(),
                run.text(),
                attempt);
        if (won != 1) throw new IllegalStateException("%s/%d had ended already".formatted(run, attempt));
        event(
                handle,
                run,
                attempt,
                "ended",
                "%s: %s".formatted(outcome.status().word(), outcome.cause().word()));
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
            handle.execute(
                    "UPDATE notice SET acked_at = ? WHERE run_id = ? AND attempt = ? AND acked_at IS NULL",
                    now(),
                    run.text(),
                    attempt);
            event(handle, run, attempt, "read", "its owner read the end");
            return true;
        });
    }

    @Override
    public void note(RunId run, int attempt, String kind, String text) {
        // somebody may have removed the run meanwhile
        writer.write(run, handle -> Reader.find(handle, run).isPresent() ? event(handle, run, attempt, kind, text) : 0);
    }

    @Override
    public List<Long> acknowledge(List<Long> notices, Optional<Owner> owner) {
        return writer.write(handle -> {
            var acknowledged = new ArrayList<Long>();
            for (long id : notices) {
                int won = handle.execute(
                        "UPDATE notice SET acked_at = ? WHERE id = ? AND acked_at IS NULL AND owner = coalesce(?, owner)",
                        now(),
                        id,
                        owner.map(Owner::id).orElse(null));
                if (won == 1) acknowledged.add(id);
            }
            return acknowledged;
        });
    }

    private int event(Handle handle, RunId run, int attempt, String kind, String text) {
        return handle.execute(
                "INSERT INTO event (run_id, attempt, at, kind, text) VALUES (?, ?, ?, ?, ?)",
                run.text(),
                attempt,
                now(),
                kind,
                text);
    }

    private long now() {
        return clock.now().toEpochMilli();
    }

    @Override
    public Optional<Run> find(RunId run) {
        return reader.with(handle -> Reader.find(handle, run));
    }

    @Override
    public List<Run> list(Query query) {
        return reader.with(handle -> Reader.list(handle, query));
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
    public List<Event> events(RunId run) {
        return reader.with(handle -> Reader.events(handle, run));
    }

    @Override
    public List<Notice> pending(Optional<Owner> owner) {
        return reader.with(handle -> Reader.pending(handle, owner));
    }

    @Override
    public List<NoticeTrace> noticesOf(RunId run) {
        return reader.with(handle -> Reader.noticesOf(handle, run));
    }

    @Override
    public List<Run> unsealed() {
        return reader.with(Reader::unsealed);
    }

    @Override
    public boolean remove(RunId run) {
        return writer.write(run, handle -> handle.execute("""
                        DELETE FROM run WHERE id = ?
                           AND NOT EXISTS (SELECT 1 FROM attempt WHERE run_id = run.id AND ended_at IS NULL)
                        """, run.text()) == 1);
    }

    @Override
    public void backUp(Path copy) {
        file.backUp(copy);
    }

    @Override
    public Optional<String> damage() {
        return file.damage();
    }

    @Override
    public void onCommit(Consumer<Set<RunId>> listener) {
        writer.onCommit(listener);
    }

    @Override
    public void close() {
        writer.close();
        reader.close();
    }
}
