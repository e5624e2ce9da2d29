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
import dev.roost.supervisor.Perches.Found;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What can really be seen of an attempt and done about it: with its processes, its files, and the ledger. */
final class RealHands implements Course.Hands, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RealHands.class.getName());

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final AttemptLoop loop;
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

    RealHands(Rooms rooms, Run run, AttemptDirectory directory, AttemptLoop loop) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.loop = loop;
        this.driver = Drivers.of(run.driver());
        this.directory = directory;
        this.tree = rooms.perches().tree(run.id(), attempt, directory);
        if (directory.start().filter(AttemptDirectory.Start::grouped).isPresent()) tree.grouped();
        this.time = new ActiveTime(rooms.clock(), run.latest());
        var earlier = BudgetWatch.Earlier.of(rooms, run); // before anything is open that would have to be closed
        this.talk = new Talk(rooms, run, directory, driver, time);
        this.launching = new Launching(rooms, run, directory, tree, talk);
        this.lateAnswer = new LateAnswer(rooms, run, time, talk);
        this.quietness = new Quietness(rooms.clock(), rooms.config().quietAfter(), tree, talk.phase() == Phase.QUIET);
        this.budget = new BudgetWatch(rooms, run, directory, earlier, time, talk, quietness);
        this.ending = new Ending(rooms, run, driver, directory, time, talk);
        this.lingering = new Lingering(rooms.clock(), tree);
    }

    /** What was said of it before. */
    void known(Began began) {
        if (began.bootId().equals(bootId())) tree.root(began.agent());
    }

    /** This machine cannot begin it. */
    void refuse(RoostError because) throws IOException {
        ending.notStarted(because, evidence());
        loop.course().over();
    }

    ProcessTree tree() {
        return tree;
    }

    Talk talk() {
        return talk;
    }

    /** Who waits for git need not. */
    void interrupt() {
        launching.interrupt();
    }

    boolean canBeMoved() {
        return ending.canBeMoved();
    }

    /** Whether there may be news of it that no event tells of. */
    boolean expectsNews() {
        return time.isWaiting() || !launching.isSetUp();
    }

    /** When something is due by itself, {@code latest} at the latest. */
    long due(long latest) {
        long due = latest;
        var course = loop.course();
        if (course.began().isPresent()
                && course.stopping().isEmpty()
                && talk.last().isEmpty()
                && !time.isWaiting()) {
            due = Math.min(due, budget.due().orElse(due));
            due = Math.min(due, quietness.due());
        }
        due = Math.min(due, talk.due());
        return Math.min(due, lingering.due().orElse(due));
    }

    @Override
    public void close() throws IOException {
        talk.close();
    }

    @Override
    public Found found() throws IOException {
        return rooms.perches().find(directory);
    }

    /** It is led whether there is room to note that or not. */
    @Override
    public void reattached() {
        try {
            rooms.ledger().note(run.id(), attempt, EventKind.REATTACHED, "the daemon came back and found it alive");
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: not noted that it was found alive".formatted(run.id(), attempt),
                    e);
        }
    }

    @Override
    public Optional<ProcessId> launch() throws IOException {
        try {
            return launching.launch(loop::isHalted);
        } catch (IOException | RoostError e) {
            if (loop.isHalted()) return Optional.empty();
            if (AttemptLoop.isForLater(e)) throw e;
            ending.notStarted(e, evidence());
            loop.course().over();
            return Optional.empty();
        }
    }

    @Override
    public void follow(ProcessId perch) {
        tree.perch(perch);
        rooms.exits().watch(perch, loop::poke);
    }

    @Override
    public boolean perish() {
        var ended = rooms.fence()
                .end(run.id(), attempt, "this node was not heard of for too long, and another went on with it");
        LOG.log(System.Logger.Level.WARNING, "ended what is another node''s by now: {0}", ended);
        if (!ended.isDone()) loop.troubled(new IOException(ended.toString())); // the next step ends the rest
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
            if (lateAnswer.give()) loop.mail();
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
                loop.poke(); // there may be more
            }
        } catch (IOException e) {
            loop.troubled(e); // a full disk must not keep a run from being stopped or from ending
        }
    }

    private void enforceBudget() throws IOException {
        if (loop.course().stopping().isPresent() || loop.course().began().isEmpty()) return;
        var cap = budget.exceeded();
        if (cap.isEmpty()) return;
        var stop = new Stop.OverBudget(cap.get());
        rooms.ledger().requestStop(run.id(), attempt, stop);
        loop.course().stop(stop);
    }

    @Override
    public void exited(ProcessId perch, Exit exit, boolean moved) throws IOException {
        rooms.faults().before(Faults.Step.EXIT);
        launching.setUp(); // if that is all there was
        var evidence = evidence().withExit(exit);
        var leftovers = tree.leftovers();
        leftovers.remove(perch);
        if (!leftovers.isEmpty())
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
        evidence = withUnkillable(evidence, leftovers.isEmpty() ? tree.unseen() : killAll());
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
        return ending.evidence(loop.course().began(), !loop.course().isSettling());
    }

    @Override
    public void over() {
        tree.forget();
    }
}
