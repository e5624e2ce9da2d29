package dev.roost;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.ledger.Began;
import dev.roost.ledger.End;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import dev.roost.run.ProcessId;
import dev.roost.run.RunEvent;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Perches.Found;
import dev.roost.supervisor.PrivateFiles;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Leads one attempt from its perch to its end. Whatever wakes it (a file event, an exit, a stop, the sweep), it looks at
 * the whole situation anew, so that no event is needed twice and none that was missed is missed for long.
 */
final class AttemptLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(AttemptLoop.class.getName());

    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);
    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);
    private static final Duration A_NAP = Duration.ofSeconds(1);
    private static final int STDERR_TAIL = 4096;
    private static final int MOST_ATTEMPTS = 3;

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final OutputCarrier output;
    private final StopPressure pressure;
    private final FileEvents.Watch watch;
    private final Semaphore wake = new Semaphore(0);

    private Optional<ProcessId> perch = Optional.empty();
    private Optional<Began> began;
    private boolean rebooted;
    private boolean settling; // a daemon that has just come back is not patient with what it was told to stop
    private volatile Optional<Stop> stopping;
    private long exitSeenAt;
    private long troubledAt;
    private volatile boolean over;
    private volatile boolean left;

    private AttemptLoop(Rooms rooms, Run run) throws IOException {
        rooms.home().run(run.id()).create(); // somebody may have removed it; the row still needs its end
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.driver = Drivers.of(run.agent());
        this.directory = rooms.home().run(run.id()).attempt(attempt);
        this.tree = rooms.perches().tree(run.id(), attempt, directory);
        this.output = new OutputCarrier(rooms, run);
        this.pressure = new StopPressure(rooms.clock(), tree);
        this.watch = watch();
        this.began = run.latest().began();
        if (directory.start().filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        began.filter(known -> known.bootId().equals(Processes.bootId())).ifPresent(known -> tree.root(known.agent()));
        this.stopping = run.latest().stopping();
    }

    private FileEvents.Watch watch() {
        try {
            return rooms.files().watch(directory.path(), this::poke);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "no file events for %s, the sweep must do: %s".formatted(run.id(), e));
            return () -> {};
        }
    }

    /** For an attempt that was just claimed. */
    static AttemptLoop begin(Rooms rooms, Run run) throws IOException {
        var loop = new AttemptLoop(rooms, run);
        // a ledger that was put back to an earlier time may call queued what has run since: it must not run twice
        if (loop.directory.hasBegun()) loop.settle();
        return loop;
    }

    /** For an attempt that another daemon had begun: settled as far as it can be before this returns. */
    static AttemptLoop inherit(Rooms rooms, Run run) throws IOException {
        var loop = new AttemptLoop(rooms, run);
        loop.settle();
        return loop;
    }

    private void settle() throws IOException {
        settling = true;
        reattach();
        stepSafely();
        settling = false;
    }

    private void reattach() throws IOException {
        // what the ledger knows is durable; the perch's own files may have been lost with the machine's power
        Found found = began.isPresent()
                ? new Found.Begun(began.get().perch(), began.get().bootId())
                : rooms.perches().find(directory);
        switch (found) {
            case Found.NeverBegan _ ->
                tree.kill(Set.of()); // of a perch that was stopped half-way; the first step launches another
            case Found.Begun(var perch, var bootId) -> {
                rebooted = !bootId.equals(Processes.bootId());
                follow(perch);
                if (!gone() && directory.exit().isEmpty()) {
                    rooms.ledger().note(run.id(), attempt, "reattached", "the daemon came back and found it alive");
                }
            }
        }
    }

    private void launch() {
        rebooted = false;
        try {
            var cookies = new LinkedHashMap<String, String>();
            cookies.put("ROOST_HOME", rooms.home().root().toString());
            cookies.put("ROOST_OWNER", run.owner().id());
            cookies.put("ROOST_RUN_ID", run.id().text());
            cookies.put("ROOST_ATTEMPT", Integer.toString(attempt));
            cookies.put("ROOST_RESULT_FILE", directory.result().toString());
            follow(rooms.perches().launch(tree, directory, cookies, Path.of("/dev/null")));
        } catch (IOException e) {
            var evidence = evidence().withNote("it could not be started: " + e.getMessage());
            end(
                    new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                    rooms.clock().now(),
                    evidence,
                    Result.none());
        }
    }

    private void follow(ProcessId process) {
        perch = Optional.of(process);
        if (!rebooted) {
            tree.perch(process);
            rooms.exits().watch(process, this::poke);
        }
    }

    ProcessTree tree() {
        return tree;
    }

    Run run() {
        return run;
    }

    boolean isOver() {
        return over;
    }

    long outputLength() {
        return output.length();
    }

    void poke() {
        wake.release();
    }

    void stop(Stop stop) {
        stopping = Optional.of(stop);
        poke();
    }

    /** Lets go of the attempt and leaves it to the next daemon. */
    void leave() {
        left = true;
        poke();
    }

    void lead() {
        stepSafely();
        while (!over && !left) {
            try {
                if (wake.tryAcquire(nap(), TimeUnit.NANOSECONDS)) wake.drainPermits();
            } catch (InterruptedException e) {
                return;
            }
            if (!left) stepSafely();
        }
        if (!over) output.save();
    }

    @Override
    public void close() {
        watch.close();
        try {
            output.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s: output.md was not closed".formatted(run.id()), e);
        }
    }

    /** Until the next moment at which something is due by itself. */
    private long nap() {
        long now = rooms.clock().monotonicNanos();
        long due = now + TimeUnit.HOURS.toNanos(1);
        if (began.isPresent() && run.budget().maxTime().isPresent() && stopping.isEmpty()) {
            due = Math.min(
                    due,
                    began.get().monotonicNanos() + run.budget().maxTime().get().toNanos());
        }
        due = Math.min(due, pressure.due().orElse(due));
        due = Math.min(due, output.due().orElse(due));
        if (exitSeenAt != 0) due = Math.min(due, exitSeenAt + PERCH_GRACE.toNanos());
        boolean troubled = troubledAt != 0 && !passed(troubledAt, TROUBLE_PAUSE);
        return Math.max(troubled ? TROUBLE_PAUSE.toNanos() : 1_000_000, due - now);
    }

    /** What cannot be done now (a full disk, say) is done at the next waking; nothing is given up. */
    private void stepSafely() {
        try {
            if (!over) step();
        } catch (IOException | RuntimeException e) {
            troubled(e);
        }
    }

    private void troubled(Exception e) {
        LOG.log(System.Logger.Level.ERROR, "%s/%d: will look again".formatted(run.id(), attempt), e);
        troubledAt = rooms.clock().monotonicNanos();
    }

    private void step() throws IOException {
        if (perch.isEmpty()) {
            if (stopping.isPresent()) neverBegan();
            else launch();
            return;
        }
        directory.mend();
        if (began.isEmpty()) recordBeginning();
        carryOutput();
        boolean gone = gone(); // looked at before the record: a perch writes it before it goes
        var exit = directory.exit();
        if (exit.isPresent()) {
            if (exitSeenAt == 0) exitSeenAt = rooms.clock().monotonicNanos();
            if (gone || passed(exitSeenAt, PERCH_GRACE)) exited(exit.get());
        } else if (gone) {
            vanished();
        } else {
            boolean agentLives =
                    began.filter(known -> Processes.alive(known.agent())).isPresent();
            if (!agentLives) ProcessTree.resume(perch.get()); // stopped, it could record neither beginning nor end
            enforceBudget();
            if (stopping.isPresent()) pressure.press(perch.get(), began, settling);
        }
    }

    private boolean gone() {
        return rebooted || (perch.isPresent() && !Processes.alive(perch.get()));
    }

    private boolean passed(long since, Duration time) {
        return rooms.clock().monotonicNanos() - since >= time.toNanos();
    }

    private void recordBeginning() throws IOException {
        var start = directory.start();
        if (start.isEmpty()) return;
        var now = new Began(
                start.get().perch(),
                start.get().agent(),
                start.get().bootId(),
                rooms.clock().monotonicNanos(),
                rooms.clock().sleptNanos());
        if (!rebooted) tree.root(now.agent());
        if (start.get().grouped()) tree.grouped();
        rooms.ledger().began(run.id(), attempt, now);
        began = Optional.of(now);
    }

    private void carryOutput() {
        try {
            if (output.carry()) poke(); // there may be more
        } catch (IOException e) {
            troubled(e); // a full disk must not keep a run from being stopped or from ending
        }
    }

    private void enforceBudget() throws IOException {
        if (stopping.isPresent()) return;
        if (written() > run.budget().maxOutput()) overBudget(Cause.BUDGET_OUTPUT);
        else if (began.isPresent()
                && run.budget().maxTime().isPresent()
                && passed(began.get().monotonicNanos(), run.budget().maxTime().get())) overBudget(Cause.BUDGET_TIME);
    }

    private long written() throws IOException {
        return PrivateFiles.size(directory.out()) + PrivateFiles.size(directory.err());
    }

    private void overBudget(Cause cap) {
        var stop = new Stop.OverBudget(cap);
        rooms.ledger().requestStop(run.id(), stop);
        stopping = Optional.of(stop);
    }

    private void exited(Exit exit) throws IOException {
        var evidence = evidence().withExit(exit);
        var leftovers = tree.leftovers();
        perch.ifPresent(leftovers::remove);
        if (!leftovers.isEmpty()) {
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
            evidence = withUnkillable(evidence, tree.kill(Set.of()));
        }
        output.drain();
        var at = directory.endedAt().orElseGet(rooms.clock()::now);
        var result = Results.collect(directory);
        end(new RunEvent.Exited(driver.judge(exit, result.bytes() > 0)), at, evidence, result);
    }

    private static Evidence withUnkillable(Evidence evidence, List<String> left) {
        return left.isEmpty() ? evidence : evidence.withNote("could not be killed: " + String.join("; ", left));
    }

    private void vanished() throws IOException {
        var unkillable = tree.kill(Set.of());
        if (began.isEmpty()) recordBeginning();
        if (began.isEmpty()) {
            if (stopping.isPresent()) neverBegan();
            else launch(); // the agent's first instruction was never reached, so this is no second run
            return;
        }
        output.drain();
        var cause = rebooted ? Cause.HOST_REBOOT : Cause.PERCH_LOST;
        boolean resume = run.resumeOnLoss() && driver.canResume() && attempt < MOST_ATTEMPTS;
        var note = rebooted
                ? "the boot id is another one now, so the machine restarted while it ran"
                : "neither its perch nor an exit record was there; what was left of its processes was killed";
        var evidence = withUnkillable(evidence().withNote(note), unkillable);
        end(new RunEvent.Lost(cause, resume), rooms.clock().now(), evidence, Results.collect(directory));
    }

    private void neverBegan() {
        var evidence = evidence()
                .withNote("stopped by %s before it began"
                        .formatted(stopping.orElseThrow().who()));
        end(new RunEvent.Lost(Cause.PERCH_LOST, false), rooms.clock().now(), evidence, Result.none());
    }

    private Evidence evidence() {
        String stderr;
        try {
            stderr = PrivateFiles.tail(directory.err(), STDERR_TAIL);
        } catch (IOException e) {
            stderr = "";
        }
        var witnessed = began.filter(_ -> !settling); // how long ago it ended before we came, no clock tells
        return new Evidence(
                Optional.empty(),
                began.map(Began::agent),
                began.map(Began::bootId),
                directory.lastSignOfLife(),
                witnessed.map(known -> Duration.ofNanos(rooms.clock().monotonicNanos() - known.monotonicNanos())),
                witnessed
                        .map(known -> Duration.ofNanos(rooms.clock().sleptNanos() - known.sleptNanos()))
                        .filter(slept -> slept.compareTo(A_NAP) > 0),
                stderr,
                List.of(),
                Optional.empty());
    }

    /** Commits the end, then gives output.md its last lines. */
    private void end(RunEvent how, Instant at, Evidence evidence, Result result) {
        rooms.ledger().finish(run.id(), attempt, new End(how, at, evidence, result, output.position()));
        over = true;
        tree.forget();
        try {
            var ended = rooms.ledger().attempts(run.id()).get(attempt - 1);
            output.seal(ended);
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: output.md lacks its last lines".formatted(run.id(), attempt),
                    e);
        }
    }
}
