package dev.roost.attempt.core;

import dev.roost.agents.FinalReport;
import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.attempt.core.Observation.AttemptOrders;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.attempt.core.Observation.PerchView;
import dev.roost.attempt.core.Observation.ProcessorSample;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An observation of a working agent, to be changed where a test needs it. */
final class ObservationDraft {

    static final ProcessId PERCH = new ProcessId(10, 1);
    static final ProcessId AGENT = new ProcessId(11, 2);
    static final StartedProcesses STARTED = new StartedProcesses(PERCH, AGENT, "boot", 0, 0);
    static final Instant LEDGER_TIME = Instant.parse("2026-11-19T03:00:00Z");

    Duration now = Duration.ZERO;
    String bootId = "boot";
    Optional<StopReason> stop = Optional.empty();
    boolean moving;
    boolean fenced;
    boolean detached;
    boolean recovering;
    PerchView perch = new PerchView.Launched(PERCH, "boot", true);
    Optional<StartedProcesses> startRecord = Optional.empty();
    Optional<StartedProcesses> started = Optional.of(STARTED);
    Optional<Exit> exit = Optional.empty();
    boolean agentAlive = true;
    Optional<FinalReport> finalReport = Optional.empty();
    Optional<Question> question = Optional.empty();
    boolean toolRunning;
    boolean spoke;
    Phase phase = Phase.WORKING;
    Optional<Question> asked = Optional.empty();
    boolean answered;
    Duration active = Duration.ZERO;
    Duration waiting = Duration.ZERO;
    Usage usage = Usage.NONE;
    long outputBytes;
    Optional<Cause> dailyBudget = Optional.empty();
    Optional<ProcessorSample> sample = Optional.empty();
    Optional<AttemptRemains> remains = Optional.empty();
    boolean ended;

    Observation seen() {
        return new Observation(
                now.toNanos(),
                bootId,
                new AttemptOrders(stop, moving, fenced, detached, recovering),
                perch,
                startRecord,
                started,
                exit,
                agentAlive,
                new AgentView(
                        finalReport,
                        question,
                        toolRunning,
                        spoke,
                        phase,
                        asked,
                        answered,
                        active,
                        waiting,
                        usage,
                        outputBytes,
                        dailyBudget),
                sample,
                remains,
                ended);
    }

    void perchIsGone() {
        perch = new PerchView.Launched(PERCH, "boot", false);
        agentAlive = false;
    }

    /** The attempt has left this report, and has been lost and rate-limited so often before. */
    void left(Optional<FinalReport> report, AttemptHistory history) {
        remains = Optional.of(new AttemptRemains(
                report,
                true,
                Optional.empty(),
                false,
                true,
                Optional.empty(),
                LEDGER_TIME,
                history,
                List.of(),
                Optional.empty()));
    }
}
