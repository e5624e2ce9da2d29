package dev.roost.attempt;

import dev.roost.agents.Driver;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.FaultPoints;
import dev.roost.base.RoostError;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.StopReason;
import dev.roost.os.Processes;
import dev.roost.output.ResultCollector;
import dev.roost.process.PerchLauncher.PerchState;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Performs the actions of one attempt on its real processes, its files and the ledger. */
final class ProcessActions implements AttemptStateMachine.AttemptActions, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ProcessActions.class.getName());

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final AttemptLoop loop;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final ActiveTime time;
    private final AgentConversation conversation;
    private final PerchLaunch launch;
    private final AnswerTimeout answerTimeout;
    private final QuietMonitor quietMonitor;
    private final BudgetMonitor budget;
    private final AttemptFinisher finisher;
    private final ExitGrace exitGrace;

    ProcessActions(RuntimeContext context, RunRecord run, AttemptDirectory directory, AttemptLoop loop)
            throws IOException {
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.loop = loop;
        this.driver = Drivers.of(run.driver());
        this.directory = directory;
        this.tree = context.launcher().tree(run.id(), attempt, directory);
        if (directory.start().filter(AttemptDirectory.StartRecord::grouped).isPresent()) tree.grouped();
        this.time = new ActiveTime(context.clock(), run.latest());
        var earlier = BudgetMonitor.EarlierUsage.of(context, run); // read before anything is opened that must be closed
        this.conversation = new AgentConversation(context, run, directory, driver, time);
        this.launch = new PerchLaunch(context, run, directory, tree, conversation);
        this.answerTimeout = new AnswerTimeout(context, run, time, conversation);
        this.quietMonitor = new QuietMonitor(
                context.clock(), context.config().quietAfter(), tree, conversation.phase() == Phase.QUIET);
        this.budget = new BudgetMonitor(context, run, directory, earlier, time, conversation, quietMonitor);
        this.finisher = new AttemptFinisher(context, run, driver, directory, time, conversation);
        this.exitGrace = new ExitGrace(context.clock(), tree);
    }

    /** Tracks the agent that the ledger knows, if it was started in this boot. */
    void trackKnown(StartedProcesses startedProcesses) {
        if (startedProcesses.bootId().equals(bootId())) tree.setRoot(startedProcesses.agent());
    }

    /** Ends the attempt because this machine cannot start it. */
    void refuse(RoostError because) throws IOException {
        finisher.notStarted(because, evidence());
        loop.machine().finished();
    }

    ProcessTree tree() {
        return tree;
    }

    AgentConversation conversation() {
        return conversation;
    }

    /** Interrupts git if a thread waits for it. */
    void interrupt() {
        launch.interrupt();
    }

    boolean canBeMoved() {
        return finisher.canBeMoved();
    }

    /** Whether the attempt may change without an event. */
    boolean needsPolling() {
        return time.isWaiting() || !launch.isSetUp();
    }

    /** The next deadline, but not after {@code latest}. */
    long due(long latest) {
        long due = latest;
        var machine = loop.machine();
        if (machine.started().isPresent()
                && machine.stopping().isEmpty()
                && conversation.finalReport().isEmpty()
                && !time.isWaiting()) {
            due = Math.min(due, budget.due().orElse(due));
            due = Math.min(due, quietMonitor.due());
        }
        due = Math.min(due, conversation.nextSaveAt());
        return Math.min(due, exitGrace.due().orElse(due));
    }

    @Override
    public void close() throws IOException {
        conversation.close();
    }

    @Override
    public PerchState found() throws IOException {
        return context.launcher().find(directory);
    }

    /** A failure to note it is only logged: a full disk must not keep the daemon from re-attaching. */
    @Override
    public void noteReattached() {
        try {
            context.ledger().note(run.id(), attempt, EventKind.REATTACHED, "the daemon came back and found it alive");
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: could not note that it was found alive".formatted(run.id(), attempt),
                    e);
        }
    }

    @Override
    public Optional<ProcessId> launch() throws IOException {
        try {
            return launch.launch(loop::isHalted);
        } catch (IOException | RoostError e) {
            if (loop.isHalted()) return Optional.empty();
            if (AttemptLoop.isRetryable(e)) throw e;
            finisher.notStarted(e, evidence());
            loop.machine().finished();
            return Optional.empty();
        }
    }

    @Override
    public void watchPerch(ProcessId perch) {
        tree.perch(perch);
        context.exitWatcher().watch(perch, loop::wake);
    }

    @Override
    public boolean killFenced() {
        var ended = context.fence()
                .end(run.id(), attempt, "the lease of this node expired, and another node continued the run");
        LOG.log(System.Logger.Level.WARNING, "killed processes of {0}: the attempt now belongs to another node", ended);
        if (!ended.isDone()) loop.recordTrouble(new IOException(ended.toString())); // the next step kills the rest
        return ended.isDone();
    }

    @Override
    public void enforceLimits() throws IOException {
        if (conversation.finalReport().isEmpty()) enforceBudget(); // a finished agent cannot exceed a cap any more
        exitGrace.watch(conversation.finalReport().isPresent());
    }

    @Override
    public boolean hasFinalReport() {
        return conversation.finalReport().isPresent();
    }

    @Override
    public void updatePhase(ProcessId perch, StartedProcesses startedProcesses) throws IOException {
        if (conversation.finalReport().isPresent()) {
            if (exitGrace.isLingering() && conversation.phase() != Phase.FINISHING) {
                ResultCollector.collect(directory, conversation.finalReport().get());
                conversation.setPhase(Phase.FINISHING);
            }
            exitGrace.escalate(perch, startedProcesses.agent());
        } else if (conversation.agentState().question().isPresent()) {
            quietMonitor.activitySeen();
            conversation.setPhase(Phase.NEEDS_INPUT);
            if (answerTimeout.answerIfDue()) loop.messagesArrived();
        } else {
            if (!conversation.agentState().tools().isEmpty()) quietMonitor.activitySeen();
            // a command does the work itself; an agent may use the processor while it only waits
            boolean command = driver.name().equals("command");
            quietMonitor.sample(command ? Set.of(perch) : Set.of(perch, startedProcesses.agent()));
            conversation.setPhase(quietMonitor.isQuiet() ? Phase.QUIET : Phase.WORKING);
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
    public Optional<AttemptDirectory.StartRecord> start() throws IOException {
        var start = directory.start();
        if (start.isPresent()) return start;
        directory.repairModes();
        return directory.start();
    }

    @Override
    public Optional<Exit> exit() throws IOException {
        return directory.exit();
    }

    @Override
    public void trackAgent(AttemptDirectory.StartRecord start) {
        tree.setRoot(start.agent());
        if (start.grouped()) tree.grouped();
    }

    @Override
    public void recordStarted(StartedProcesses startedProcesses) {
        time.began(startedProcesses);
        conversation.markWorking();
    }

    @Override
    public void pumpOutput() throws IOException {
        directory.repairModes();
        try {
            launch.setUp();
            if (conversation.pump()) {
                quietMonitor.activitySeen();
                loop.wake(); // there may be more output
            }
        } catch (IOException e) {
            loop.recordTrouble(e); // a full disk must not keep a run from being stopped or from ending
        }
    }

    private void enforceBudget() throws IOException {
        if (loop.machine().stopping().isPresent() || loop.machine().started().isEmpty()) return;
        var cap = budget.exceeded();
        if (cap.isEmpty()) return;
        var stop = new StopReason.BudgetStop(cap.get());
        context.ledger().requestStop(run.id(), attempt, stop);
        loop.machine().stop(stop);
    }

    @Override
    public void exited(ProcessId perch, Exit exit, boolean moved) throws IOException {
        context.faults().before(FaultPoints.Step.EXIT);
        launch.setUp(); // the agent may have ended during the setup
        var evidence = evidence().withExit(exit);
        var leftovers = tree.leftovers();
        leftovers.remove(perch);
        if (!leftovers.isEmpty())
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
        evidence = withUnkillable(evidence, leftovers.isEmpty() ? tree.unseen() : killAll());
        context.faults().after(FaultPoints.Step.EXIT);
        if (moved) finisher.moved(Optional.of(exit), evidence);
        else finisher.exited(exit, evidence);
    }

    private static Evidence withUnkillable(Evidence evidence, List<String> left) {
        return left.isEmpty() ? evidence : evidence.withNote("could not be killed: " + String.join("; ", left));
    }

    @Override
    public void vanished(Cause cause, boolean moved, List<String> unkillable) throws IOException {
        if (moved) {
            finisher.moved(Optional.empty(), withUnkillable(evidence(), unkillable));
            return;
        }
        var note = cause == Cause.HOST_REBOOT
                ? "the boot id has changed, so the machine restarted while it ran"
                : directory
                        .fenced()
                        .map(mark -> "it was ended at %s: %s".formatted(mark.at(), mark.why()))
                        .orElse("its perch is gone and left no exit record; its remaining processes were killed");
        finisher.vanished(cause, withUnkillable(evidence().withNote(note), unkillable));
    }

    @Override
    public void endUnstarted(StopReason stop) throws IOException {
        finisher.stoppedBeforeStart(stop, evidence());
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
        return finisher.evidence(loop.machine().started(), !loop.machine().isRecovering());
    }

    @Override
    public void releaseGroup() {
        tree.freeGroup();
    }
}
