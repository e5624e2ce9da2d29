package dev.roost.attempt.core;

import dev.roost.agents.FinalReport;
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

/**
 * Everything that is known of an attempt at one moment. The order of reading matters: the perch's process before the exit record,
 * as a perch writes the record before it exits.
 *
 * @param now the monotonic clock, which stands still while the machine sleeps
 * @param startRecord the start by the perch's record, until the ledger has it
 * @param started the start by the ledger
 * @param ended the end of the attempt is committed, or its processes are killed because another node has it
 */
public record Observation(
        long now,
        String bootId,
        AttemptOrders orders,
        PerchView perch,
        Optional<StartedProcesses> startRecord,
        Optional<StartedProcesses> started,
        Optional<Exit> exit,
        boolean agentAlive,
        AgentView agent,
        Optional<ProcessorSample> sample,
        Optional<AttemptRemains> remains,
        boolean ended) {

    /** What was asked of the attempt from outside. {@code recovering}: a restarted daemon is looking at it for the first time. */
    public record AttemptOrders(
            Optional<StopReason> stop, boolean moving, boolean fenced, boolean detached, boolean recovering) {}

    public sealed interface PerchView {

        /** An earlier daemon may have launched it. */
        record Unknown() implements PerchView {}

        record NotLaunched() implements PerchView {}

        /** It cannot be launched, and another try would not help. */
        record Unlaunchable(String reason) implements PerchView {}

        /** {@code alive}: a process with exactly this id is alive now. */
        record Launched(ProcessId id, String bootId, boolean alive) implements PerchView {}
    }

    /**
     * What the agent's output and the ledger say of it.
     *
     * @param spoke there was output since the last observation
     * @param asked the question that the ledger has
     * @param answered an answer to {@code question} is on its way
     * @param waiting how long the question of the ledger has been open
     */
    public record AgentView(
            Optional<FinalReport> finalReport,
            Optional<Question> question,
            boolean toolRunning,
            boolean spoke,
            Phase phase,
            Optional<Question> asked,
            boolean answered,
            Duration active,
            Duration waiting,
            Usage usage,
            long outputBytes,
            Optional<Cause> dailyBudget) {}

    /** The processor time of the children, in ticks, including those that have ended. */
    public record ProcessorSample(long at, long ticks) {}

    /**
     * What an attempt leaves when all its processes are gone and its output is read to the end.
     *
     * @param setupFailure how the setup of its worktree failed
     * @param canContinue its agent can resume, and what another attempt needs is there
     * @param rateLimitReset when the provider's limit ends, if the agent said so
     * @param ledgerTime by the clock that also decides when a parked run continues
     * @param fenced why an earlier daemon killed it for another node
     */
    public record AttemptRemains(
            Optional<FinalReport> finalReport,
            boolean hasResult,
            Optional<String> setupFailure,
            boolean outOfMemory,
            boolean canContinue,
            Optional<Instant> rateLimitReset,
            Instant ledgerTime,
            AttemptHistory history,
            List<String> unkillable,
            Optional<String> fenced) {}
}
