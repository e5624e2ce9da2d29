package dev.roost.house;

import dev.roost.agents.Driver;
import dev.roost.agents.Drivers;
import dev.roost.ledger.Began;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.EventKind;
import dev.roost.run.Evidence;
import dev.roost.run.Exit;
import dev.roost.run.Faults;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.RoostError;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Perches.Found;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Leads one attempt on its {@link Course}, from its perch to its end, whatever wakes it: a file event, an exit, a stop, the sweep. */
final class AttemptLoop implements AutoCloseable, Course.Hands {

    private static final System.Logger LOG = System.getLogger(AttemptLoop.class.getName());

    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final ActiveTime time;
    private final Talk talk;
    private final Launching launching;
    private final LateAnswer lateAnswer;
    private final Quietness quietness;
    private final BudgetWatch budget;
    private final Ending ending;
    private final Lingering lingering;
    private final Course course;
    private final Optional<FileEvents.Watch> watch;
    private final Semaphore wake = new Semaphore(0);

    private long troubledAt;
    private volatile boolean left;
    private volatile Optional<ProcessId> calm = Optional.empty(); // the agent, while only an event can be news of it
    private long written;
    private int patrols;

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
        this.launching = new Launching(rooms, run, directory, tree, talk);
        this.lateAnswer = new LateAnswer(rooms, run, time, talk);
        this.quietness = new Quietness(rooms.clock(), rooms.config().quietAfter(), tree, talk.phase() == Phase.QUIET);
        this.budget = new BudgetWatch(rooms, run, directory, time, talk, quietness);
        this.ending = new Ending(rooms, run, driver, directory, time, talk);
        this.lingering = new Lingering(rooms.clock(), tree);
        this.course = new Course(rooms.ledger(), rooms.clock(), run, this);
        this.watch = watch();
        if (directory.start().filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        course.began().filter(known -> known.bootId().equals(bootId())).ifPresent(known -> tree.root(known.agent()));
    }

    private Optional<FileEvents.Watch> watch() {
        try {
            return Optional.of(rooms.files().watch(directory.path(), this::poke));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "no file events for %s, the sweep must do: %s".formatted(run.id(), e));
            return Optional.empty();
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
        loop.course.over();
        return loop;
    }

    /** For an attempt that another daemon had begun: settled as far as it can be before this returns. */
    static AttemptLoop inherit(Rooms rooms, Run run) throws IOException {
        var loop = new AttemptLoop(rooms, run);
        loop.settle();
        return loop;
    }

    private void settle() throws IOException {
        if (rooms.peers().any() && Losses.isMoving(rooms, run)) course.move();
        if (course.reattach()) stepSafely();
        course.settled();
    }

    @Override
    public Found found() throws IOException {
        return rooms.perches().find(directory);
    }

    @Override
    public void reattached() {
        rooms.ledger().note(run.id(), attempt, EventKind.REATTACHED, "the daemon came back and found it alive");
    }

    @Override
    public Optional<ProcessId> launch() throws IOException {
        try {
            return launching.launch(this::isHalted);
        } catch (IOException | RoostError e) {
            if (isHalted()) return Optional.empty();
            if (e instanceof RoostError error && isForLater(error)) throw error;
            ending.notStarted(e, evidence());
            course.over();
            return Optional.empty();
        }
    }

    private boolean isHalted() {
        return course.stopping().isPresent() || left;
    }

    /** What could not be asked or read just now says nothing about the run. */
    static boolean isForLater(RoostError error) {
        return error.code().startsWith("ledger_") || error.code().startsWith("shelf_");
    }

    @Override
    public void follow(ProcessId perch) {
        tree.perch(perch);
        rooms.exits().watch(perch, this::poke);
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
        course.lose();
        launching.interrupt();
        poke();
    }

    boolean isLost() {
        return course.isLost();
    }

    /** Whether it could go on elsewhere, and nobody has seen to that yet. */
    boolean canMove() {
        return course.couldMove() && ending.canBeMoved();
    }

    /** Its node is to be emptied: it is stopped, and its next attempt is begun by another node. */
    void move() {
        rooms.ledger()
                .note(
                        run.id(),
                        attempt,
                        EventKind.MOVING,
                        "its node is emptied; it is stopped here to go on elsewhere");
        course.move();
        poke();
    }

    boolean isOver() {
        return course.isOver();
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

    /**
     * Pokes it if something may have happened that nobody told of. Thousands of calm ones must cost little, so their agents are
     * looked for more rarely: one that has gone is news by itself only if somebody has stopped its perch.
     */
    void patrol() {
        try {
            long before = written;
            written = directory.written();
            boolean calmly = patrols++ % 5 == 0 ? calm.filter(Processes::alive).isPresent() : calm.isPresent();
            if (calmly && written == before) return;
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a step will say what is wrong", e);
        }
        poke();
    }

    /** Once it has begun, until it is to end: whatever is next, an event tells of it or it is known when. */
    private Optional<ProcessId> calmly() {
        boolean told = watch.isPresent() && rooms.exits().immediate();
        boolean expects = course.stopping().isPresent() || time.isWaiting() || !launching.isSetUp();
        boolean alone = rooms.config().day().equals(DayBudget.NONE); // else others may use up what it has
        return told && alone && !expects ? course.began().map(Began::agent) : Optional.empty();
    }

    /** Somebody has written to the agent. */
    void mail() {
        talk.mail();
        poke();
    }

    void stop(Stop stop) {
        course.stop(stop);
        launching.interrupt();
        poke();
    }

    /** Lets go of the attempt and leaves it to the next daemon. */
    void leave() {
        left = true;
        launching.interrupt();
        poke();
    }

    void lead() {
        stepSafely();
        while (!isOver() && !left) {
            try {
                if (wake.tryAcquire(nap(), TimeUnit.NANOSECONDS)) wake.drainPermits();
            } catch (InterruptedException e) {
                return;
            }
            if (!left) stepSafely();
        }
        if (!isOver() && !isLost()) talk.save();
    }

    @Override
    public void close() {
        watch.ifPresent(FileEvents.Watch::close);
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
        if (course.began().isPresent()
                && course.stopping().isEmpty()
                && talk.last().isEmpty()
                && !time.isWaiting()) {
            due = Math.min(due, budget.due().orElse(due));
            due = Math.min(due, quietness.due());
        }
        due = Math.min(due, course.due().orElse(due));
        due = Math.min(due, talk.due());
        due = Math.min(due, lingering.due().orElse(due));
        boolean troubled = troubledAt != 0 && now - troubledAt < TROUBLE_PAUSE.toNanos();
        return Math.max(troubled ? TROUBLE_PAUSE.toNanos() : 1_000_000, due - now);
    }

    /** What cannot be done now (a full disk, say) is done at the next waking; nothing is given up. */
    private void stepSafely() {
        calm = Optional.empty();
        troubledAt = 0;
        try {
            if (isOver()) return;
            course.step();
            if (troubledAt == 0) calm = calmly();
        } catch (IOException | RuntimeException e) {
            troubled(e);
        }
    }

    private void troubled(Exception e) {
        LOG.log(System.Logger.Level.ERROR, "%s/%d: will look again".formatted(run.id(), attempt), e);
        troubledAt = rooms.clock().monotonicNanos();
    }

    @Override
    public boolean perish() {
        var ended = rooms.fence()
                .end(run.id(), attempt, "this node was not heard of for too long, and another went on with it");
        LOG.log(System.Logger.Level.WARNING, "ended what is another node''s by now: {0}", ended);
        if (!ended.isDone()) troubled(new IOException(ended.toString())); // the next step ends the rest
        return ended.isDone();
    }

    @Override
    public void look() throws IOException {
        if (talk.last().isEmpty()) enforceBudget(); // what is done cannot be kept from using more
        lingering.watch(talk.last().isPresent());
    }

    @Override
    public boolean hasSaidItsLastWord() {
        return talk.last().isPresent();
    }

    @Override
    public void tend(ProcessId perch, Began began) throws IOException {
        if (talk.last().isPresent()) {
            if (lingering.isOne() && talk.phase() != Phase.FINISHING) {
                Results.collect(directory, talk.last().get());
                talk.at(Phase.FINISHING);
            }
            lingering.press(perch, began.agent());
        } else if (talk.heard().question().isPresent()) {
            quietness.news();
            talk.at(Phase.NEEDS_INPUT);
            if (lateAnswer.give()) mail();
        } else {
            if (!talk.heard().tools().isEmpty()) quietness.news();
            // a command is its own worker; an agent itself may well be busy with waiting
            boolean command = driver.name().equals("command");
            quietness.sample(command ? Set.of(perch) : Set.of(perch, began.agent()));
            talk.at(quietness.isQuiet() ? Phase.QUIET : Phase.WORKING);
        }
    }

    @Override
    public String bootId() {
        return Processes.bootId();
    }

    @Override
    public boolean alive(ProcessId process) {
        return Processes.alive(process);
    }

    @Override
    public Optional<AttemptDirectory.Start> start() throws IOException {
        var start = directory.start();
        if (start.isPresent()) return start;
        directory.mend();
        return directory.start();
    }

    @Override
    public Optional<Exit> exit() throws IOException {
        return directory.exit();
    }

    @Override
    public void root(AttemptDirectory.Start start) {
        tree.root(start.agent());
        if (start.grouped()) tree.grouped();
    }

    @Override
    public void began(Began began) {
        time.began(began);
        talk.began();
    }

    @Override
    public void carryOutput() throws IOException {
        directory.mend();
        try {
            launching.setUp();
            if (talk.carry()) {
                quietness.news();
                poke(); // there may be more
            }
        } catch (IOException e) {
            troubled(e); // a full disk must not keep a run from being stopped or from ending
        }
    }

    private void enforceBudget() throws IOException {
        if (course.stopping().isPresent() || course.began().isEmpty()) return;
        var cap = budget.exceeded();
        if (cap.isEmpty()) return;
        var stop = new Stop.OverBudget(cap.get());
        rooms.ledger().requestStop(run.id(), attempt, stop);
        course.stop(stop);
    }

    @Override
    public void exited(ProcessId perch, Exit exit, boolean moved) throws IOException {
        rooms.faults().before(Faults.Step.EXIT);
        launching.setUp(); // if that is all there was
        var evidence = evidence().withExit(exit);
        var leftovers = tree.leftovers();
        leftovers.remove(perch);
        if (!leftovers.isEmpty()) {
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
            evidence = withUnkillable(evidence, killAll());
        }
        rooms.faults().after(Faults.Step.EXIT);
        if (moved) ending.moved(Optional.of(exit), evidence);
        else ending.exited(exit, evidence);
    }

    private static Evidence withUnkillable(Evidence evidence, List<String> left) {
        return left.isEmpty() ? evidence : evidence.withNote("could not be killed: " + String.join("; ", left));
    }

    @Override
    public void vanished(Cause cause, boolean moved, List<String> unkillable) throws IOException {
        if (moved) {
            ending.moved(Optional.empty(), withUnkillable(evidence(), unkillable));
            return;
        }
        var note = cause == Cause.HOST_REBOOT
                ? "the boot id is another one now, so the machine restarted while it ran"
                : directory
                        .fenced()
                        .map(mark -> "it was ended at %s: %s".formatted(mark.at(), mark.why()))
                        .orElse(
                                "neither its perch nor an exit record was there; what was left of its processes was killed");
        ending.vanished(cause, withUnkillable(evidence().withNote(note), unkillable));
    }

    @Override
    public void neverBegan(Stop stop) throws IOException {
        ending.stoppedBeforeItBegan(stop, evidence());
    }

    @Override
    public void resume(ProcessId perch) {
        ProcessTree.resume(perch);
    }

    @Override
    public void terminate(ProcessId agent) {
        ProcessTree.terminate(agent);
    }

    @Override
    public void kill(ProcessId perch) {
        ProcessTree.kill(perch);
    }

    @Override
    public void killAllBut(ProcessId perch) {
        tree.kill(Set.of(perch));
    }

    @Override
    public List<String> killAll() {
        return tree.kill(Set.of());
    }

    private Evidence evidence() {
        return ending.evidence(course.began(), !course.isSettling());
    }

    @Override
    public void over() {
        tree.forget();
    }
}
