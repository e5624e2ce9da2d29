package dev.roost.attempt;

import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.core.AttemptAction;
import dev.roost.attempt.core.AttemptActions;
import dev.roost.attempt.core.AttemptRules;
import dev.roost.attempt.core.Observation;
import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.attempt.core.Observation.PerchView;
import dev.roost.attempt.core.Observation.ProcessorSample;
import dev.roost.base.FaultPoints;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.EventKind;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.os.Processes;
import dev.roost.output.ResultCollector;
import dev.roost.process.PerchLauncher.PerchState;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Observes and performs the actions of one attempt on its real processes, its files and the ledger. */
final class ProcessActions implements AttemptActions, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ProcessActions.class.getName());

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final LoopSignals signals;
    private final AttemptRules rules;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final ActiveTime time;
    private final AgentConversation conversation;
    private final PerchLaunch launch;
    private final AttemptFinisher finisher;

    private PerchView perch;
    private Optional<AttemptDirectory.StartRecord> startRecord = Optional.empty();
    private volatile Optional<StartedProcesses> started;
    private Optional<ProcessorSample> sample = Optional.empty();
    private Optional<AttemptRemains> remains = Optional.empty();
    private boolean ended;

    /** {@code fresh}: no earlier daemon can have launched it. */
    ProcessActions(
            RuntimeContext context, RunRecord run, AttemptDirectory directory, LoopSignals signals, boolean fresh)
            throws IOException {
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.signals = signals;
        this.directory = directory;
        this.perch = fresh ? new PerchView.NotLaunched() : new PerchView.Unknown();
        this.started = run.latest().began();
        this.tree = context.launcher().tree(run.id(), attempt, directory);
        if (directory.start().filter(AttemptDirectory.StartRecord::grouped).isPresent()) tree.grouped();
        this.time = new ActiveTime(context.clock(), run.latest(), Processes.bootId());
        this.rules = rules(context, run); // read before anything is opened that must be closed
        this.conversation = new AgentConversation(context, run, directory, rules.driver(), time);
        this.launch = new PerchLaunch(context, run, directory, tree, conversation);
        this.finisher = new AttemptFinisher(context, run, rules.driver(), directory, time, conversation);
        started.filter(known -> known.bootId().equals(Processes.bootId()))
                .ifPresent(known -> tree.setRoot(known.agent()));
    }

    private static AttemptRules rules(RuntimeContext context, RunRecord run) throws IOException {
        var config = context.config();
        return new AttemptRules(
                Drivers.of(run.driver()),
                run.budget(),
                new AttemptHistoryReader(context, run).earlierUsage(),
                config.quietAfter(),
                config.maxQuiet(),
                config.questionPolicy().timeout(),
                config.maxAttempts(),
                run.resumeOnLoss(),
                run.work().isPresent(),
                context.membership().self());
    }

    AttemptRules rules() {
        return rules;
    }

    /** Lets the next step end the attempt, because this machine cannot start it. */
    void refuse(RoostError because) {
        perch = new PerchView.Unlaunchable(String.valueOf(because.getMessage()));
    }

    ProcessTree tree() {
        return tree;
    }

    AgentConversation conversation() {
        return conversation;
    }

    Optional<StartedProcesses> started() {
        return started;
    }

    /** Interrupts git if a thread waits for it. */
    void interrupt() {
        launch.interrupt();
    }

    /** Whether the attempt may be stopped and continued on another node. */
    boolean canBeMoved() {
        return started.isPresent() && run.resumeOnLoss() && AttemptPreparation.canContinue(context, run);
    }

    /** Whether another node has ended the attempt. */
    boolean isForeign() {
        return finisher.isForeign();
    }

    /** Whether the attempt may change without an event. */
    boolean needsPolling() {
        return time.isWaiting() || !launch.isSetUp();
    }

    @Override
    public void close() throws IOException {
        conversation.close();
    }

    @Override
    public Observation observe() throws IOException {
        var orders = signals.orders();
        boolean open = !ended && !orders.fenced(); // otherwise nothing more is read, so that no failure delays the end
        boolean spoke = open && perch instanceof PerchView.Launched && remains.isEmpty() && readOutput();
        var exit = Optional.<Exit>empty();
        if (open && perch instanceof PerchView.Launched(var id, var bootId, var _)) {
            perch = new PerchView.Launched(id, bootId, Processes.alive(id)); // before the records are read
            if (started.isEmpty()) startRecord = readStart();
            exit = directory.exit();
        }
        boolean limited = open
                && started.isPresent()
                && exit.isEmpty()
                && remains.isEmpty()
                && orders.stop().isEmpty()
                && !orders.moving()
                && conversation.finalReport().isEmpty();
        return new Observation(
                context.clock().monotonicNanos(),
                Processes.bootId(),
                orders,
                perch,
                startRecord.filter(_ -> started.isEmpty()).map(this::started),
                started,
                exit,
                started.filter(known -> Processes.alive(known.agent())).isPresent(),
                agent(spoke, limited),
                sample,
                remains,
                ended);
    }

    /** False if there is no new output, or if it cannot be read: a full disk must not keep a run from being stopped. */
    private boolean readOutput() throws IOException {
        directory.repairModes();
        try {
            launch.setUp();
            boolean spoke = conversation.pump();
            if (spoke) signals.wake(); // there may be more output
            return spoke;
        } catch (IOException e) {
            signals.recordTrouble(e);
            return false;
        }
    }

    private Optional<AttemptDirectory.StartRecord> readStart() throws IOException {
        var start = directory.start();
        if (start.isPresent()) return start;
        directory.repairModes();
        return directory.start();
    }

    private StartedProcesses started(AttemptDirectory.StartRecord record) {
        return new StartedProcesses(
                record.perch(),
                record.agent(),
                record.bootId(),
                context.clock().monotonicNanos(),
                context.clock().sleptNanos());
    }

    /** {@code limited}: caps and timeouts apply, so what they need is read from the ledger and the files. */
    private AgentView agent(boolean spoke, boolean limited) throws IOException {
        var state = conversation.agentState();
        return new AgentView(
                state.finalReport(),
                state.question(),
                !state.tools().isEmpty(),
                spoke,
                conversation.phase(),
                conversation.question(),
                limited && state.question().filter(this::isAnswered).isPresent(),
                time.active(),
                time.waiting(),
                conversation.usage(),
                limited ? AttemptHistoryReader.outputBytes(directory) : 0,
                limited ? context.config().dailyBudget().exceededBy(run.owner(), context.ledger()) : Optional.empty());
    }

    private boolean isAnswered(Question question) {
        return rules.answerTimeout().isPresent()
                && context.ledger().messages().of(run.id(), attempt).stream()
                        .anyMatch(message -> message.questionId().equals(Optional.of(question.id())));
    }

    @Override
    public void perform(AttemptAction action) throws IOException {
        switch (action) {
            case AttemptAction.FindPerch _ -> findPerch();
            case AttemptAction.LaunchPerch _ -> launchPerch();
            case AttemptAction.WatchPerch(var id) -> {
                tree.perch(id);
                context.exitWatcher().watch(id, signals::wake);
            }
            case AttemptAction.ForgetPerch _ -> perch = new PerchView.NotLaunched();
            case AttemptAction.RecordStart(var processes, var alive) -> recordStart(processes, alive);
            case AttemptAction.NoteReattached _ -> noteReattached();
            case AttemptAction.ResumePerch(var id) -> ProcessTree.resume(id);
            case AttemptAction.RequestStop(var reason) -> {
                context.ledger().requestStop(run.id(), attempt, reason);
                signals.stopRequested(reason);
            }
            case AttemptAction.TerminateAgent(var id) -> ProcessTree.terminate(id);
            case AttemptAction.KillAllBut(var id) -> tree.kill(Set.of(id));
            case AttemptAction.KillPerch(var id) -> ProcessTree.kill(id);
            case AttemptAction.KillAll _ -> tree.kill(Set.of());
            case AttemptAction.KillFenced _ -> killFenced();
            case AttemptAction.SampleProcessor(var own) -> sample(own);
            case AttemptAction.CollectResult _ ->
                ResultCollector.collect(directory, conversation.finalReport().orElseThrow());
            case AttemptAction.SetPhase(var phase) -> conversation.setPhase(phase);
            case AttemptAction.PostTimeoutAnswer answer -> post(answer);
            case AttemptAction.CollectRemains(var exit) -> remains = Optional.of(collectRemains(exit));
            case AttemptAction.Finish finish -> {
                finisher.commit(finish, () -> finisher.evidence(started, isWitnessed()));
                end();
            }
        }
    }

    private void findPerch() throws IOException {
        // the ledger is durable; the perch's files may have been lost in a power failure
        PerchState found = started.isPresent()
                ? new PerchState.PerchStarted(
                        started.get().perch(), started.get().bootId())
                : context.launcher().find(directory);
        switch (found) {
            case PerchState.PerchNeverStarted _ -> {
                tree.kill(Set.of()); // the perch died half-way
                perch = new PerchView.NotLaunched();
            }
            case PerchState.PerchStarted(var id, var bootId) -> perch = new PerchView.Launched(id, bootId, false);
        }
    }

    private void launchPerch() throws IOException {
        try {
            launch.launch(signals::isHalted)
                    .ifPresent(id -> perch = new PerchView.Launched(id, Processes.bootId(), true));
        } catch (IOException | RoostError e) {
            if (signals.isHalted()) return;
            if (AttemptLoop.isRetryable(e)) throw e;
            perch = new PerchView.Unlaunchable(String.valueOf(e.getMessage()));
        }
    }

    private void recordStart(StartedProcesses processes, boolean alive) {
        if (alive) {
            tree.setRoot(processes.agent());
            if (startRecord.filter(AttemptDirectory.StartRecord::grouped).isPresent()) tree.grouped();
        }
        time.began(processes);
        conversation.markWorking();
        context.ledger().recordStarted(run.id(), attempt, processes);
        started = Optional.of(processes);
    }

    /** A failure to note it is only logged: a full disk must not keep the daemon from re-attaching. */
    private void noteReattached() {
        try {
            context.ledger().note(run.id(), attempt, EventKind.REATTACHED, "the daemon came back and found it alive");
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: could not note that it was found alive".formatted(run.id(), attempt),
                    e);
        }
    }

    private void killFenced() throws IOException {
        var result = context.fence()
                .end(run.id(), attempt, "the lease of this node expired, and another node continued the run");
        LOG.log(
                System.Logger.Level.WARNING,
                "killed processes of {0}: the attempt now belongs to another node",
                result);
        if (result.isDone()) end();
        else signals.recordTrouble(new IOException(result.toString())); // the next step kills the rest
    }

    private void sample(Set<ProcessId> own) {
        var children = tree.members();
        children.removeAll(own);
        sample = Optional.of(new ProcessorSample(
                context.clock().monotonicNanos(), Processes.cpuTicks(children) + Processes.reapedTicks(own)));
    }

    private void post(AttemptAction.PostTimeoutAnswer answer) {
        var text = "Nobody answered within %s. Go on without, or say what you need and end."
                .formatted(TextFormat.span(answer.timeout()));
        boolean permission = answer.question().kind() == Question.Kind.PERMISSION;
        context.ledger()
                .messages()
                .post(
                        run.id(),
                        attempt,
                        permission ? SentMessage.MessageKind.DENY : SentMessage.MessageKind.ANSWER,
                        Optional.of(answer.question().id()),
                        new MessageStore.MessageText(text, "roost", Optional.empty()));
        conversation.messagesArrived();
        signals.wake();
    }

    private AttemptRemains collectRemains(Optional<Exit> exit) throws IOException {
        if (exit.isEmpty()) {
            var evidence = finisher.evidence(started, isWitnessed());
            return finisher.collect(exit, evidence, tree.kill(Set.of()));
        }
        context.faults().before(FaultPoints.Step.EXIT);
        launch.setUp(); // the agent may have ended during the setup
        var evidence = finisher.evidence(started, isWitnessed()).withExit(exit.get());
        var leftovers = tree.leftovers();
        if (perch instanceof PerchView.Launched(var id, var _, var _)) leftovers.remove(id);
        if (!leftovers.isEmpty())
            evidence = evidence.withLeftovers(
                    leftovers.stream().map(Processes::describe).toList());
        List<String> unkillable = leftovers.isEmpty() ? tree.unseen() : tree.kill(Set.of());
        context.faults().after(FaultPoints.Step.EXIT);
        return finisher.collect(exit, evidence, unkillable);
    }

    /** Whether this daemon saw the end, so that it knows how long the attempt ran. */
    private boolean isWitnessed() {
        return !signals.orders().recovering();
    }

    private void end() {
        ended = true;
        tree.freeGroup();
    }
}
