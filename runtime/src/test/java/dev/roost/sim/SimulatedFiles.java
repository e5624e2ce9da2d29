package dev.roost.sim;

import dev.roost.agents.FinalReport;
import dev.roost.home.AttemptDirectory.StartRecord;
import dev.roost.home.BegunRecord;
import dev.roost.home.PerchMarks;
import dev.roost.model.Exit;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The directory of an attempt with what its agent has said, and the facts that the final check compares with the ledger. */
final class SimulatedFiles implements PerchMarks {

    private final Simulation simulation;
    private final RunId run;
    private final int attempt;
    private final List<BegunRecord> begun = new ArrayList<>();
    private @Nullable Runnable watcher;

    Optional<StartRecord> start = Optional.empty();
    Optional<Exit> exit = Optional.empty();

    // what the agent has said
    long spoken;
    long tokens;
    Optional<FinalReport> report = Optional.empty();
    Optional<Instant> reset = Optional.empty();
    Optional<Question> question = Optional.empty();

    @Nullable
    Runnable onAnswer;

    // the facts
    @Nullable
    SimulatedBehavior behavior;

    @Nullable
    Exit status;

    int instructions;
    Optional<Exit> recorded = Optional.empty();
    Optional<Instant> recordedAt = Optional.empty();
    Optional<Instant> spokeAt = Optional.empty();
    boolean rebooted;
    boolean cutOff; // a power failure while the attempt ran
    boolean endedByDaemon; // the daemon sent the signal that ended the agent
    boolean outOfMemory;
    boolean setupFailed;
    long activeAt; // the last activity, in time awake
    private long worked;
    private long elapsed;
    long diedAt = -1; // in time awake
    private long beganAt = -1;
    private long workingSince = -1;
    private long overspentAt = -1;
    private long overspent;

    SimulatedFiles(Simulation simulation, RunId run, int attempt) {
        this.simulation = simulation;
        this.run = run;
        this.attempt = attempt;
    }

    /** Notifies the watcher of file events and ends of processes; some notifications are lost. */
    void notifyWatcher() {
        var current = watcher;
        if (current == null || (simulation.has(Simulation.Trouble.LOST_EVENTS) && simulation.oneIn(3))) return;
        current.run();
    }

    void watch(@Nullable Runnable watcher) {
        this.watcher = watcher;
    }

    void agentBegins() {
        instructions++;
        beganAt = simulation.awake();
        workingSince = beganAt;
    }

    void speak() {
        spoken++;
        activeAt = simulation.awake();
        spokeAt = Optional.of(simulation.now());
        notifyWatcher();
    }

    void useTokens(long more, long cap) {
        tokens += more;
        if (tokens > cap && overspentAt < 0) overspentAt = simulation.awake();
        speak();
    }

    void ask(Runnable onAnswer) {
        question = Optional.of(new Question("q" + spoken, Question.Kind.INPUT, "Which?"));
        this.onAnswer = onAnswer;
        pauseWork();
        speak();
    }

    void answer() {
        question = Optional.empty();
        workingSince = simulation.awake();
        spoken++; // it says that it read the answer
        activeAt = workingSince;
        if (onAnswer != null) onAnswer.run();
    }

    private void pauseWork() {
        if (workingSince >= 0) worked += simulation.awake() - workingSince;
        workingSince = -1;
    }

    void agentIsDead() {
        pauseWork();
        if (beganAt >= 0) elapsed += simulation.awake() - beganAt;
        beganAt = -1;
        diedAt = simulation.awake();
        if (overspentAt >= 0) overspent += simulation.awake() - overspentAt;
        overspentAt = -1;
    }

    /** How long the agent worked while the machine was awake, without its waits for answers. */
    long worked() {
        return worked;
    }

    /** How long the agent lived while the machine was awake. */
    long elapsed() {
        return elapsed;
    }

    /** How long the agent lived after it had used more tokens than it may. */
    long overspent() {
        return overspent;
    }

    boolean isBusy() {
        return behavior != null && behavior.busyChild();
    }

    boolean exitedWith(int status) {
        return recorded.filter(exit -> exit.status() == status && !exit.signaled())
                .isPresent();
    }

    boolean wasSignaled() {
        return recorded.filter(Exit::signaled).isPresent();
    }

    boolean reportedSuccess() {
        return report.isPresent() && report.get() instanceof FinalReport.Success;
    }

    int spawns() {
        return begun.size();
    }

    boolean begin(int spawn) {
        if (begun.size() >= spawn) return false;
        begun.add(new BegunRecord.UnsignedRecord());
        return true;
    }

    void sign(int spawn, ProcessId perch, String boot) {
        begun.set(spawn - 1, new BegunRecord.StartedByPerch(perch, boot));
    }

    boolean startedAs(ProcessId process) {
        return start.filter(
                        known -> known.perch().equals(process) || known.agent().equals(process))
                .isPresent();
    }

    /** Begun records are not synced and may be lost; {@code start} and the output are synced. */
    void powerFails() {
        agentIsDead();
        if (simulation.oneIn(3)) exit = Optional.empty(); // its directory entry may not have been synced
        if (start.isPresent()) rebooted = true;
        if (start.isEmpty() && simulation.oneIn(2)) begun.clear();
        watcher = null;
    }

    @Override
    public boolean isThere() {
        return true;
    }

    @Override
    public Optional<StartRecord> start() {
        return start;
    }

    @Override
    public Optional<Exit> exit() {
        return exit;
    }

    @Override
    public BegunRecord beginning() {
        return begun.isEmpty() ? new BegunRecord.NoRecord() : begun.getLast();
    }

    @Override
    public boolean revoke() {
        if (simulation.simulatedFlaw == SimulatedFlaw.NOT_REVOKED) return true;
        begun.add(new BegunRecord.RevokedRecord());
        return true;
    }

    @Override
    public String toString() {
        return run.text().substring(10) + "/" + attempt;
    }
}
