package dev.roost.sim;

import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.ActiveTime;
import dev.roost.attempt.core.AttemptAction;
import dev.roost.attempt.core.AttemptActions;
import dev.roost.attempt.core.AttemptHistory;
import dev.roost.attempt.core.AttemptRules;
import dev.roost.attempt.core.EarlierUsage;
import dev.roost.attempt.core.Observation;
import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.attempt.core.Observation.AttemptOrders;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.attempt.core.Observation.PerchView;
import dev.roost.attempt.core.Observation.ProcessorSample;
import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.ledger.MessageStore;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Cause;
import dev.roost.model.EventKind;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import dev.roost.process.PerchLauncher;
import dev.roost.process.PerchLauncher.PerchState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Observes and performs the actions of one attempt on the simulated machine; decides nothing. */
final class SimulatedActions implements AttemptActions {

    private static final int CHECKS_UNTIL_SIGNED = 3;
    private static final double TICKS_PER_NANO = 100 / 1e9;

    private final Simulation simulation;
    private final SimulatedDaemon daemon;
    private final RunRecord run;
    private final int attempt;
    private final SimulatedMachine machine;
    private final SimulatedFiles files;
    private final ActiveTime time;

    private PerchView perch;
    private Optional<StartedProcesses> started;
    private Optional<ProcessorSample> sample = Optional.empty();
    private Optional<AttemptRemains> remains = Optional.empty();
    private Optional<StopReason> stop;
    private boolean moving;
    private boolean recovering;
    private boolean ended;
    private Phase phase;
    private Optional<Question> asked;
    private long heard;
    private long activeAt; // the agent's last activity that this daemon can know

    SimulatedActions(Simulation simulation, SimulatedDaemon daemon, RunRecord run, boolean recovering) {
        this.simulation = simulation;
        this.daemon = daemon;
        this.run = run;
        this.attempt = run.latest().n();
        this.machine = simulation.machine;
        this.files = machine.files(run.id(), attempt);
        this.time = new ActiveTime(simulation, run.latest(), machine.bootId());
        this.started = run.latest().began();
        this.recovering = recovering || files.spawns() > 0;
        this.perch = this.recovering ? new PerchView.Unknown() : new PerchView.NotLaunched();
        this.stop = simulation.simulatedFlaw == SimulatedFlaw.STOP_FORGOTTEN
                ? Optional.empty()
                : run.latest().stopping();
        this.moving = simulation.simulatedFlaw != SimulatedFlaw.MOVE_FORGOTTEN
                && simulation.ledger.runs().events(run.id()).stream()
                        .anyMatch(event -> event.attempt() == attempt && EventKind.MOVING.is(event.kind()));
        this.phase = run.latest().phase().orElse(Phase.STARTING);
        this.asked = run.latest().asked().map(AttemptRecord.PendingQuestion::question);
        files.watch(() -> daemon.poke(run.id()));
    }

    RunRecord run() {
        return run;
    }

    Phase phase() {
        return phase;
    }

    AttemptRules rules() {
        return new AttemptRules(
                Drivers.of(run.driver()),
                run.budget(),
                earlierUsage(),
                SimulatedUsers.QUIET_AFTER,
                simulation.simulatedFlaw == SimulatedFlaw.QUIET_IGNORED
                        ? Optional.empty()
                        : Optional.of(SimulatedUsers.MAX_QUIET),
                Optional.of(SimulatedUsers.ANSWER_TIMEOUT),
                SimulatedUsers.MAX_ATTEMPTS,
                run.resumeOnLoss(),
                files.spawns() % 2 == 1, // any value must do
                "here");
    }

    private EarlierUsage earlierUsage() {
        var sum = EarlierUsage.NONE;
        for (var one : simulation.ledger.runs().attempts(run.id())) {
            if (one.n() < attempt && one.turn() == run.latest().turn())
                sum = new EarlierUsage(
                        sum.usage().plus(one.usage()),
                        sum.active().plus(one.progress().active()),
                        0);
        }
        return sum;
    }

    void detach() {
        files.watch(null);
    }

    void stop(StopReason reason) {
        stop = Optional.of(reason);
    }

    boolean isRecovering() {
        return recovering;
    }

    void endRecovery() {
        recovering = false;
    }

    void move() {
        boolean canMove = !moving && !ended && started.isPresent() && stop.isEmpty() && run.resumeOnLoss();
        if (!canMove) return;
        simulation.ledger.note(run.id(), attempt, EventKind.MOVING, "its node is drained");
        moving = true;
    }

    @Override
    public Observation observe() {
        simulation.meanwhile();
        boolean spoke = false;
        if (perch instanceof PerchView.Launched && remains.isEmpty()) {
            deliverAnswer();
            spoke = files.spoken > heard;
            heard = files.spoken;
            activeAt = files.activeAt;
        }
        var earlierExit = files.exit();
        simulation.meanwhile();
        var start = Optional.<StartedProcesses>empty();
        var exit = Optional.<Exit>empty();
        if (perch instanceof PerchView.Launched(var id, var bootId, var _)) {
            perch = new PerchView.Launched(id, bootId, machine.alive(id));
            simulation.meanwhile();
            if (started.isEmpty()) start = files.start().map(this::started);
            simulation.meanwhile();
            exit = simulation.simulatedFlaw == SimulatedFlaw.RECORD_BEFORE_PROCESS ? earlierExit : files.exit();
        }
        var seen = new Observation(
                simulation.monotonicNanos(),
                bootId(),
                new AttemptOrders(stop, moving, false, false, recovering),
                perch,
                start,
                started,
                exit,
                started.filter(known -> machine.alive(known.agent())).isPresent(),
                agent(spoke),
                sample,
                remains,
                ended);
        return simulation.simulatedFlaw.seen(seen, simulation);
    }

    private String bootId() {
        return simulation.simulatedFlaw == SimulatedFlaw.BOOT_IGNORED ? "boot-1" : machine.bootId();
    }

    private StartedProcesses started(StartRecord record) {
        return new StartedProcesses(
                record.perch(), record.agent(), record.bootId(), simulation.monotonicNanos(), simulation.sleptNanos());
    }

    private AgentView agent(boolean spoke) {
        return new AgentView(
                files.report,
                files.question,
                false,
                spoke,
                phase,
                asked,
                files.question.flatMap(this::answer).isPresent(),
                time.active(),
                time.waiting(),
                usage(),
                0,
                Optional.empty());
    }

    private Usage usage() {
        return new Usage(files.tokens, 0, 0, Optional.empty(), 0);
    }

    private Optional<SentMessage> answer(Question question) {
        return simulation.ledger.messages().of(run.id(), attempt).stream()
                .filter(message -> message.questionId().equals(Optional.of(question.id())))
                .findFirst();
    }

    private void deliverAnswer() {
        if (files.question.flatMap(this::answer).isPresent()) files.answer();
    }

    @Override
    public void perform(AttemptAction action) throws IOException {
        switch (simulation.simulatedFlaw.performed(action, this, simulation)) {
            case AttemptAction.FindPerch _ -> find();
            case AttemptAction.LaunchPerch _ -> launch();
            case AttemptAction.WatchPerch(var id) -> {
                if (machine.find(id).isEmpty()) daemon.poke(run.id());
            }
            case AttemptAction.ForgetPerch _ -> perch = new PerchView.NotLaunched();
            case AttemptAction.RecordStart(var processes, var _) -> {
                time.began(processes);
                if (phase == Phase.STARTING) phase = Phase.WORKING;
                simulation.ledger.recordStarted(run.id(), attempt, processes);
                started = Optional.of(processes);
            }
            case AttemptAction.NoteReattached _ ->
                simulation.ledger.note(
                        run.id(), attempt, EventKind.REATTACHED, "the daemon came back and found it alive");
            case AttemptAction.RequestStop(var reason) -> {
                if (reason.cause() == Cause.BUDGET_QUIET) checkQuiet(SimulatedUsers.MAX_QUIET);
                simulation.ledger.requestStop(run.id(), attempt, reason);
                stop = Optional.of(reason);
            }
            case AttemptAction.TerminateAgent(var id) -> machine.terminate(id);
            case AttemptAction.KillAllBut(var id) -> killAllBut(Optional.of(id));
            case AttemptAction.KillPerch(var id) -> machine.find(id).ifPresent(machine::end);
            case AttemptAction.KillAll _ -> killAllBut(Optional.empty());
            case AttemptAction.SampleProcessor _ ->
                sample = Optional.of(new ProcessorSample(
                        simulation.monotonicNanos(),
                        files.isBusy() ? (long) (simulation.monotonicNanos() * TICKS_PER_NANO) : 0));
            case AttemptAction.SetPhase(var now) -> setPhase(now);
            case AttemptAction.PostTimeoutAnswer(var question, var _) -> {
                simulation
                        .ledger
                        .messages()
                        .post(
                                run.id(),
                                attempt,
                                SentMessage.MessageKind.ANSWER,
                                Optional.of(question.id()),
                                new MessageStore.MessageText("nobody answered", "roost", Optional.empty()));
                daemon.poke(run.id());
            }
            case AttemptAction.CollectRemains(var exit) -> remains = Optional.of(collectRemains(exit));
            case AttemptAction.Finish finish -> finish(finish);
            case AttemptAction.ResumePerch _, AttemptAction.CollectResult _ -> {}
            case AttemptAction.KillFenced _ -> throw new IllegalStateException("there is one node");
        }
    }

    private void find() throws IOException {
        int[] checks = {0};
        var found = started.isPresent()
                ? new PerchState.PerchStarted(
                        started.get().perch(), started.get().bootId())
                : PerchLauncher.find(files, (id, boot) -> boot.equals(bootId()) && machine.alive(id), () -> {
                    simulation.meanwhile();
                    return checks[0]++ < CHECKS_UNTIL_SIGNED;
                });
        switch (found) {
            case PerchState.PerchNeverStarted _ -> {
                killAllBut(Optional.empty());
                perch = new PerchView.NotLaunched();
            }
            case PerchState.PerchStarted(var id, var boot) -> perch = new PerchView.Launched(id, boot, false);
        }
    }

    private void launch() {
        simulation.crashPoint();
        new SimulationInspector(simulation).inspectLaunch(run.id(), attempt);
        var id = machine.perch(files, files.spawns() + 1, simulation.users.behavior(run.id(), attempt));
        if (simulation.logging()) simulation.log("perch of %s is launched: %s".formatted(files, id));
        simulation.crashPoint();
        perch = new PerchView.Launched(id, machine.bootId(), true);
    }

    private void killAllBut(Optional<ProcessId> spared) {
        if (simulation.simulatedFlaw == SimulatedFlaw.LEAVES_ORPHANS && spared.isEmpty()) return;
        for (var process : machine.of(files))
            if (!process.unseen && !spared.equals(Optional.of(process.id))) machine.kill(process);
    }

    private void setPhase(Phase now) {
        if (now == Phase.QUIET) checkQuiet(SimulatedUsers.QUIET_AFTER);
        time.waiting(false);
        time.waiting(now == Phase.NEEDS_INPUT);
        var question = now == Phase.NEEDS_INPUT ? files.question : Optional.<Question>empty();
        simulation.ledger.recordProgress(run.id(), attempt, progress());
        simulation.ledger.recordPhase(run.id(), attempt, now, question);
        phase = now;
        asked = question;
    }

    private void checkQuiet(Duration atLeast) {
        new SimulationInspector(simulation).inspectQuiet(files, simulation.awake() - activeAt, atLeast);
    }

    private AttemptProgress progress() {
        return new AttemptProgress(
                StreamPosition.START, usage(), time.active(), time.waited(), Optional.of("conversation"));
    }

    private AttemptRemains collectRemains(Optional<Exit> exit) {
        simulation.crashPoint();
        simulation.meanwhile();
        killAllBut(Optional.empty());
        exit.flatMap(_ -> files.recordedAt)
                .or(() -> recovering ? files.spokeAt : Optional.empty())
                .ifPresent(time::ended);
        return new AttemptRemains(
                files.report,
                true,
                files.setupFailed ? Optional.of("the setup failed") : Optional.empty(),
                exit.filter(Exit::signaled).isPresent() && files.outOfMemory,
                true,
                files.reset,
                simulation.ledger.time(),
                AttemptHistory.of(
                        run.latest().turn(),
                        simulation.ledger.runs().attempts(run.id()),
                        simulation.simulatedFlaw == SimulatedFlaw.MOVE_COUNTED_AS_LOSS
                                ? List.of()
                                : simulation.ledger.runs().events(run.id())),
                List.of(),
                Optional.empty());
    }

    private void finish(AttemptAction.Finish finish) {
        var evidence = Evidence.none().withNote(finish.note().orElse("it ended"));
        simulation.ledger.finish(
                run.id(),
                attempt,
                new AttemptEnd(finish.how(), simulation.now(), evidence, AttemptResult.none(), progress()));
        ended = true;
    }

    /** Whether the agent has reported while nothing else ends it. */
    boolean isLingering() {
        return files.report.isPresent() && stop.isEmpty() && !moving;
    }
}
