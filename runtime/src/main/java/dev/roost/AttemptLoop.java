package dev.roost;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.ledger.Began;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Faults;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.Question;
import dev.roost.run.RoostError;
import dev.roost.run.Stop;
import dev.roost.run.Words;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Perches.Found;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.time.Duration;
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

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final ActiveTime time;
    private final Talk talk;
    private final Quietness quietness;
    private final BudgetWatch budget;
    private final Ending ending;
    private final Lingering lingering;
    private final StopPressure pressure;
    private final FileEvents.Watch watch;
    private final Semaphore wake = new Semaphore(0);

    private Optional<ProcessId> perch = Optional.empty();
    private Optional<Thread> maker = Optional.empty();
    private Optional<Began> began;
    private boolean isSetUp;
    private boolean rebooted;
    private boolean settling; // a daemon that has just come back is not patient with what it was told to stop
    private volatile Optional<Stop> stopping;
    private long exitSeenAt;
    private long troubledAt;
    private volatile boolean over;
    private volatile boolean left;
    private volatile boolean moving; // stopped here, to go on elsewhere
    private volatile boolean lost; // to another node: what is here of it has no business any more

    private AttemptLoop(Rooms rooms, Run run) throws IOException {
        rooms.home().run(run.id()).create(); // somebody may have removed it; the row still needs its end
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.driver = Drivers.of(run.driver());
        this.directory = rooms.home().run(run.id()).attempt(attempt);
        this.tree = rooms.perches().tree(run.id(), attempt, directory);
        this.time = new ActiveTime(rooms.clock(), run.latest());
        this.talk = new Talk(rooms, run, directory, driver, time);
        this.quietness = new Quietness(rooms.clock(), rooms.config().quietAfter(), tree, talk.phase() == Phase.QUIET);
        this.budget = new BudgetWatch(rooms, run, directory, time, talk, quietness);
        this.ending = new Ending(rooms, run, driver, directory, time, talk);
        this.lingering = new Lingering(rooms.clock(), tree);
        this.pressure = new StopPressure(rooms.clock(), tree);
        this.watch = watch();
        this.began = run.latest().began();
        if (directory.start().filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        began.filter(known -> known.bootId().equals(Processes.bootId())).ifPresent(known -> tree.root(known.agent()));
        this.stopping = run.latest().stopping();
        this.isSetUp = run.work().isEmpty();
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

    /** For an attempt that this machine cannot begin. */
    static AttemptLoop refuse(Rooms rooms, Run run, RoostError because) throws IOException {
        var loop = new AttemptLoop(rooms, run);
        loop.ending.notStarted(because, loop.evidence());
        loop.over();
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
        moving = rooms.peers().any() && Losses.isMoving(rooms, run);
        reattach();
        // a worktree may take long to make: whoever leads does that, and the daemon's start does not wait for it
        if (perch.isPresent() || stopping.isPresent() || run.work().isEmpty()) stepSafely();
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

    private void launch() throws IOException {
        rebooted = false;
        try {
            makeWorktree();
            if (stopping.isPresent() || left) return; // while that was done; the next step, or daemon, sees to it
            arrived();
            var cookies = new LinkedHashMap<String, String>();
            cookies.put("ROOST_HOME", rooms.home().root().toString());
            cookies.put("ROOST_OWNER", run.owner().id());
            cookies.put("ROOST_RUN_ID", run.id().text());
            cookies.put("ROOST_ATTEMPT", Integer.toString(attempt));
            cookies.put("ROOST_RESULT_FILE", directory.result().toString());
            rooms.faults().before(Faults.Step.SPAWN);
            var sent = rooms.perches().launch(tree, directory, cookies);
            rooms.faults().after(Faults.Step.SPAWN);
            follow(sent);
        } catch (IOException | RoostError e) {
            if (stopping.isPresent() || left) return;
            if (e instanceof RoostError error && isForLater(error)) throw error;
            ending.notStarted(e, evidence());
            over();
        }
    }

    /** What could not be asked or read just now says nothing about the run. */
    static boolean isForLater(RoostError error) {
        return error.code().startsWith("ledger_") || error.code().startsWith("shelf_");
    }

    /** It may come from another machine. */
    private void arrived() throws IOException {
        var arriving = new Arriving(rooms);
        arriving.converse(run, directory);
        var remark = arriving.remark(run);
        if (remark.isEmpty() || isNoted("resumed")) return;
        talk.remark(remark.get());
        talk.save();
        rooms.ledger().note(run.id(), attempt, "resumed", remark.get());
    }

    private boolean isNoted(String kind) {
        return rooms.ledger().events(run.id()).stream()
                .anyMatch(event -> event.kind().equals(kind) && event.attempt() == attempt);
    }

    /** Git may take its time over that, but a stop does not wait for it. */
    private void makeWorktree() throws IOException {
        synchronized (wake) {
            maker = Optional.of(Thread.currentThread());
        }
        try {
            if (stopping.isEmpty() && !left) rooms.keeping().make(run, directory);
        } finally {
            synchronized (wake) {
                maker = Optional.empty();
                var _ = Thread.interrupted(); // it was meant for git
            }
        }
    }

    private void endMaking() {
        synchronized (wake) {
            maker.ifPresent(Thread::interrupt);
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

    /** Whether that is still the attempt that this leads. */
    boolean leads(Run now) {
        return now.latest().n() == attempt && !now.status().ended();
    }

    /** Another node has it: its processes are ended, and nothing is said of it any more. */
    void lose() {
        lost = true;
        endMaking();
        poke();
    }

    boolean isLost() {
        return lost;
    }

    /** Whether it could go on elsewhere, and nobody has seen to that yet. */
    boolean canMove() {
        return !moving && !lost && !over && began.isPresent() && stopping.isEmpty() && ending.canBeMoved();
    }

    /** Its node is to be emptied: it is stopped, and its next attempt is begun by another node. */
    void move() {
        rooms.ledger()
                .note(run.id(), attempt, Losses.MOVING, "its node is emptied; it is stopped here to go on elsewhere");
        moving = true;
        poke();
    }

    boolean isOver() {
        return over;
    }

    /** The agent's own conversation, once it has one. */
    Optional<String> session() {
        return talk.heard().session().or(run::sessionId);
    }

    long outputLength() {
        return talk.outputLength();
    }

    void poke() {
        wake.release();
    }

    /** Somebody has written to the agent. */
    void mail() {
        talk.mail();
        poke();
    }

    void stop(Stop stop) {
        stopping = Optional.of(stop);
        endMaking();
        poke();
    }

    /** Lets go of the attempt and leaves it to the next daemon. */
    void leave() {
        left = true;
        endMaking();
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
        if (!over && !lost) talk.save();
    }

    @Override
    public void close() {
        watch.close();
        try {
            talk.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s: output.md was not closed".formatted(run.id()), e);
        }
    }

    /** Until the next moment at which something is due by itself. */
    private long nap() {
        long now = rooms.clock().monotonicNanos();
        long due = now + TimeUnit.HOURS.toNanos(1);
        if (began.isPresent() && stopping.isEmpty() && !time.isWaiting()) {
            due = Math.min(due, now + budget.timeLeft().map(Duration::toNanos).orElse(due - now));
        }
        due = Math.min(due, pressure.due().orElse(due));
        due = Math.min(due, talk.due());
        due = Math.min(due, lingering.due().orElse(due));
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
        if (lost) {
            perish();
            return;
        }
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
            live();
        }
    }

    private void perish() {
        var ended = rooms.fence()
                .end(run.id(), attempt, "this node was not heard of for too long, and another went on with it");
        LOG.log(System.Logger.Level.WARNING, "ended what is another node''s by now: {0}", ended);
        if (ended.isDone()) over();
        else troubled(new IOException(ended.toString())); // the next step ends the rest
    }

    private void live() throws IOException {
        if (talk.last().isEmpty()) enforceBudget(); // what is done cannot be kept from using more
        lingering.watch(talk.last().isPresent());
        boolean goes = moving && talk.last().isEmpty(); // who has said his last word may as well end here
        if (stopping.isPresent() || goes) {
            pressure.press(perch.get(), began, settling);
            return;
        }
        if (began.isEmpty()) return;
        if (talk.last().isPresent()) {
            if (lingering.isOne() && talk.phase() != Phase.FINISHING) {
                Results.collect(directory, talk.last().get());
                talk.at(Phase.FINISHING);
            }
            lingering.press(perch.get(), began.get().agent());
        } else if (talk.heard().question().isPresent()) {
            quietness.news();
            talk.at(Phase.NEEDS_INPUT);
            answerForSomebodyWhoIsLate();
        } else {
            if (!talk.heard().tools().isEmpty()) quietness.news();
            // a command is its own worker; an agent itself may well be busy with waiting
            boolean command = driver.name().equals("command");
            quietness.sample(
                    command
                            ? Set.of(perch.get())
                            : Set.of(perch.get(), began.get().agent()));
            talk.at(quietness.isQuiet() ? Phase.QUIET : Phase.WORKING);
        }
    }

    /** A question that nobody answers is answered by the rule for that. */
    private void answerForSomebodyWhoIsLate() {
        var patience = rooms.config().asking().timeout();
        if (patience.isEmpty() || time.waiting().compareTo(patience.get()) < 0) return;
        var question = talk.heard().question().orElseThrow();
        boolean waiting = rooms.ledger().letters(run.id(), attempt).stream()
                .anyMatch(letter -> letter.questionId().equals(Optional.of(question.id())));
        if (waiting) return;
        rooms.ledger()
                .post(
                        run.id(),
                        attempt,
                        question.kind() == Question.Kind.PERMISSION ? Letter.Kind.DENY : Letter.Kind.ANSWER,
                        Optional.of(question.id()),
                        new Ledger.Words(
                                "Nobody answered within %s. Go on without, or say what you need and end."
                                        .formatted(Words.span(patience.get())),
                                "roost",
                                Optional.empty()));
        mail();
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
        time.began(now);
        talk.began();
        if (start.get().grouped()) tree.grouped();
        rooms.ledger().began(run.id(), attempt, now);
        began = Optional.of(now);
    }

    /** What the setup of its worktree printed belongs to its output. */
    private void setUp() throws IOException {
        if (isSetUp) return;
        var said = directory.setup().said();
        if (said.isEmpty()) return;
        isSetUp = true;
        if (isNoted("setup")) return;
        var failed = directory.setup().failed();
        talk.remark("setup %s\n%s"
                .formatted(
                        failed.map(status -> "failed with exit status " + status)
                                .orElse("done"),
                        said.get()));
        talk.save();
        rooms.ledger().note(run.id(), attempt, "setup", failed.isPresent() ? "failed" : "done");
    }

    private void carryOutput() {
        try {
            setUp();
            if (talk.carry()) {
                quietness.news();
                poke(); // there may be more
            }
        } catch (IOException e) {
            troubled(e); // a full disk must not keep a run from being stopped or from ending
        }
    }

    private void enforceBudget() throws IOException {
        if (stopping.isPresent() || began.isEmpty()) return;
        var cap = budget.exceeded();
        if (cap.isEmpty()) return;
        var stop = new Stop.OverBudget(cap.get());
        rooms.ledger().requestStop(run.id(), attempt, stop);
        stopping = Optional.of(stop);
    }

    private void exited(Exit exit) throws IOException {
        rooms.faults().before(Faults.Step.EXIT);
        setUp(); // if that is all there was
        var evidence = evidence().withExit(exit);
        var leftovers = tree.leftovers();
        perch.ifPresent(leftovers::remove);
        if (!leftovers.isEmpty()) {
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
            evidence = withUnkillable(evidence, tree.kill(Set.of()));
        }
        rooms.faults().after(Faults.Step.EXIT);
        if (moving && stopping.isEmpty()) ending.moved(Optional.of(exit), evidence);
        else ending.exited(exit, evidence);
        over();
    }

    private static Evidence withUnkillable(Evidence evidence, List<String> left) {
        return left.isEmpty() ? evidence : evidence.withNote("could not be killed: " + String.join("; ", left));
    }

    private void vanished() throws IOException {
        var unkillable = tree.kill(Set.of());
        if (began.isEmpty()) recordBeginning();
        if (began.isEmpty()) {
            if (stopping.isPresent()) neverBegan();
            else if (settling && run.work().isPresent()) perch = Optional.empty(); // the next step launches
            else launch(); // the agent's first instruction was never reached, so this is no second run
            return;
        }
        if (moving && stopping.isEmpty()) {
            ending.moved(Optional.empty(), withUnkillable(evidence(), unkillable));
            over();
            return;
        }
        var note = rebooted
                ? "the boot id is another one now, so the machine restarted while it ran"
                : directory
                        .fenced()
                        .map(mark -> "it was ended at %s: %s".formatted(mark.at(), mark.why()))
                        .orElse(
                                "neither its perch nor an exit record was there; what was left of its processes was killed");
        ending.vanished(
                rebooted ? Cause.HOST_REBOOT : Cause.PERCH_LOST,
                withUnkillable(evidence().withNote(note), unkillable));
        over();
    }

    private void neverBegan() throws IOException {
        ending.stoppedBeforeItBegan(stopping.orElseThrow(), evidence());
        over();
    }

    private Evidence evidence() {
        return ending.evidence(began, !settling);
    }

    private void over() {
        over = true;
        tree.forget();
    }
}
