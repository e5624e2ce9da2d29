package dev.roost.sim;

import dev.roost.attempt.core.AttemptAction;
import dev.roost.attempt.core.AttemptHistory;
import dev.roost.attempt.core.Observation;
import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.attempt.core.Observation.ProcessorSample;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerVariant;
import dev.roost.ledger.RunStore;
import dev.roost.ledger.SessionStore;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caps;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Typical bugs, introduced on purpose: the simulation has to find each of them. */
enum SimulatedFlaw {
    NONE,
    /** The end of an attempt ends the run's latest attempt, whatever its number. */
    NO_ATTEMPT_GUARD,
    /** The end and its notice are two commits. */
    NOTICE_OUTSIDE_THE_TRANSACTION,
    /** A process counts as alive if any process has its pid. */
    PID_ALONE,
    /** Reads of a run come from a cache that may be one second old. */
    POLL_CACHE,
    /** The exit record is read before the process is checked, instead of after. */
    RECORD_BEFORE_PROCESS,
    /** An offer is acknowledged when it is delivered. */
    ACKNOWLEDGED_WHEN_OFFERED,
    /** A launched perch that has not begun yet is not revoked. */
    NOT_REVOKED,
    /** The boot id is ignored, so a reboot is not noticed. */
    BOOT_IGNORED,
    /** A stop is passed to the attempt's loop but not stored. */
    STOP_IN_MEMORY,
    /** There is no sweep, because events are expected to arrive always. */
    NO_SWEEP,
    /** A repeated call starts another run. */
    NO_CALL_KEY,
    /** A process that vanishes without an exit record counts as successful. */
    DEATH_IS_SUCCESS,
    /** A session is woken without a check of its harness. */
    WAKES_BLINDLY,
    /** An attempt is ended without killing its processes. */
    LEAVES_ORPHANS,
    /** A daemon does not recover the attempts of its predecessor. */
    NOTHING_INHERITED,
    /** Slots are given out without a cap. */
    NO_CAPS,
    /** No cap on time or tokens stops an attempt. */
    BUDGET_IGNORED,
    /** The time that an agent waits for an answer counts as its working time. */
    WAIT_COUNTED_AS_WORK,
    /** Silence is measured by a clock that runs on while the machine sleeps. */
    QUIET_COUNTS_SLEEP,
    /** An agent may be quiet for ever. */
    QUIET_IGNORED,
    /** Children that use the processor do not count as activity. */
    CHILDREN_IGNORED,
    /** A parked run continues at once, before the provider's limit ends. */
    PARKED_WITHOUT_TIME,
    /** Earlier losses do not count, so a run that is lost every time never ends. */
    LOSS_NOT_COUNTED,
    /** A move by the operator counts as a loss. */
    MOVE_COUNTED_AS_LOSS,
    /** A restarted daemon does not know that it was moving an attempt. */
    MOVE_FORGOTTEN,
    /** What the agent says last does not matter, only its exit status does. */
    FINAL_REPORT_IGNORED,
    /** An agent that does not exit after its final report is left alone. */
    LINGERING_ALLOWED,
    /** A worktree whose setup failed looks like an agent that did nothing. */
    SETUP_FAILURE_IGNORED,
    /** An out-of-memory kill is taken for the agent's own crash. */
    OUT_OF_MEMORY_IGNORED,
    /** A restarted daemon does not read that a stop was requested. */
    STOP_FORGOTTEN,
    /** An agent that ignores SIGTERM is never killed. */
    NEVER_KILLED,
    /** The answer timeout is not enforced. */
    NEVER_ANSWERED;

    /** What a daemon with this bug sees. */
    Observation seen(Observation seen, Simulation simulation) {
        return switch (this) {
            case BUDGET_IGNORED ->
                with(seen, agent(seen, Duration.ZERO, seen.agent().waiting(), Usage.NONE));
            case WAIT_COUNTED_AS_WORK -> {
                var agent = seen.agent();
                yield with(seen, agent(seen, agent.active().plus(agent.waiting()), agent.waiting(), agent.usage()));
            }
            case NEVER_ANSWERED ->
                with(
                        seen,
                        agent(
                                seen,
                                seen.agent().active(),
                                Duration.ZERO,
                                seen.agent().usage()));
            case QUIET_COUNTS_SLEEP -> with(seen, seen.now() + simulation.sleptNanos(), seen.sample());
            case CHILDREN_IGNORED ->
                with(seen, seen.now(), seen.sample().map(sample -> new ProcessorSample(sample.at(), 0)));
            case LOSS_NOT_COUNTED, FINAL_REPORT_IGNORED, OUT_OF_MEMORY_IGNORED, SETUP_FAILURE_IGNORED ->
                new Observation(
                        seen.now(),
                        seen.bootId(),
                        seen.orders(),
                        seen.perch(),
                        seen.startRecord(),
                        seen.started(),
                        this == SETUP_FAILURE_IGNORED ? seen.exit().map(_ -> SimulatedBehavior.SUCCESS) : seen.exit(),
                        seen.agentAlive(),
                        this == FINAL_REPORT_IGNORED ? withoutReport(seen.agent()) : seen.agent(),
                        seen.sample(),
                        seen.remains().map(this::remains),
                        seen.ended());
            default -> seen;
        };
    }

    private AttemptRemains remains(AttemptRemains left) {
        return new AttemptRemains(
                this == FINAL_REPORT_IGNORED ? Optional.empty() : left.finalReport(),
                left.hasResult(),
                this == SETUP_FAILURE_IGNORED ? Optional.empty() : left.setupFailure(),
                this != OUT_OF_MEMORY_IGNORED && left.outOfMemory(),
                left.canContinue(),
                left.rateLimitReset(),
                left.ledgerTime(),
                this == LOSS_NOT_COUNTED ? new AttemptHistory(0, left.history().rateLimits()) : left.history(),
                left.unkillable(),
                left.fenced());
    }

    private static AgentView agent(Observation seen, Duration active, Duration waiting, Usage usage) {
        var agent = seen.agent();
        return new AgentView(
                agent.finalReport(),
                agent.question(),
                agent.toolRunning(),
                agent.spoke(),
                agent.phase(),
                agent.asked(),
                agent.answered(),
                active,
                waiting,
                usage,
                agent.outputBytes(),
                agent.dailyBudget());
    }

    private static AgentView withoutReport(AgentView agent) {
        return new AgentView(
                Optional.empty(),
                agent.question(),
                agent.toolRunning(),
                agent.spoke(),
                agent.phase(),
                agent.asked(),
                agent.answered(),
                agent.active(),
                agent.waiting(),
                agent.usage(),
                agent.outputBytes(),
                agent.dailyBudget());
    }

    private static Observation with(Observation seen, AgentView agent) {
        return new Observation(
                seen.now(),
                seen.bootId(),
                seen.orders(),
                seen.perch(),
                seen.startRecord(),
                seen.started(),
                seen.exit(),
                seen.agentAlive(),
                agent,
                seen.sample(),
                seen.remains(),
                seen.ended());
    }

    private static Observation with(Observation seen, long now, Optional<ProcessorSample> sample) {
        return new Observation(
                now,
                seen.bootId(),
                seen.orders(),
                seen.perch(),
                seen.startRecord(),
                seen.started(),
                seen.exit(),
                seen.agentAlive(),
                seen.agent(),
                sample,
                seen.remains(),
                seen.ended());
    }

    /** What a daemon with this bug does instead. */
    AttemptAction performed(AttemptAction action, SimulatedActions actions, Simulation simulation) {
        boolean kills = action instanceof AttemptAction.TerminateAgent
                || action instanceof AttemptAction.KillAllBut
                || action instanceof AttemptAction.KillPerch;
        boolean forgets = switch (this) {
            case LINGERING_ALLOWED -> kills && actions.isLingering();
            case NEVER_KILLED -> kills && !actions.isLingering() && !(action instanceof AttemptAction.TerminateAgent);
            default -> false;
        };
        if (forgets) return new AttemptAction.CollectResult();
        if (!(action instanceof AttemptAction.Finish(var how, var note, var kind))) return action;
        return switch (this) {
            case PARKED_WITHOUT_TIME ->
                how instanceof RunEvent.Parked
                        ? new AttemptAction.Finish(new RunEvent.Parked(simulation.now()), note, kind)
                        : action;
            case DEATH_IS_SUCCESS ->
                how instanceof RunEvent.Lost
                        ? new AttemptAction.Finish(new RunEvent.Exited(new Outcome.Completed()), note, kind)
                        : action;
            default -> action;
        };
    }

    /** A ledger with this bug. */
    Ledger in(Ledger ledger, LongSupplier nanos) {
        return switch (this) {
            case NO_ATTEMPT_GUARD -> withoutAttemptGuard(ledger);
            case POLL_CACHE -> cached(ledger, nanos);
            case ACKNOWLEDGED_WHEN_OFFERED -> acknowledgedOnDelivery(ledger);
            case STOP_IN_MEMORY -> withoutDurableStops(ledger);
            case NO_CALL_KEY -> withoutCallKeys(ledger);
            case NO_CAPS -> withoutCaps(ledger);
            default -> ledger;
        };
    }

    private static Ledger withoutAttemptGuard(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public boolean finish(RunId run, int attempt, AttemptEnd end) {
                int latest = ledger.runs().find(run).orElseThrow().latest().n();
                return ledger.finish(run, latest, end);
            }
        };
    }

    private static Ledger cached(Ledger ledger, LongSupplier nanos) {
        record CachedRun(Optional<RunRecord> run, long at) {}
        Map<RunId, CachedRun> cache = new HashMap<>();
        var runs = new LedgerVariant.OfRuns(ledger) {
            @Override
            public Optional<RunRecord> find(RunId id) {
                var cached = cache.get(id);
                if (cached == null || nanos.getAsLong() - cached.at > Simulation.SECOND)
                    cached = new CachedRun(ledger.runs().find(id), nanos.getAsLong());
                cache.put(id, cached);
                return cached.run;
            }
        };
        return new LedgerVariant(ledger) {
            @Override
            public RunStore runs() {
                return runs;
            }
        };
    }

    private static Ledger acknowledgedOnDelivery(Ledger ledger) {
        var sessions = new LedgerVariant.OfSessions(ledger) {
            @Override
            public boolean markDelivered(long offer) {
                boolean written = super.markDelivered(offer);
                var notices = ledger.notices();
                notices.acknowledge(
                        notices.pending(Optional.empty()).stream()
                                .map(notice -> notice.id())
                                .toList(),
                        Optional.empty());
                return written;
            }
        };
        return new LedgerVariant(ledger) {
            @Override
            public SessionStore sessions() {
                return sessions;
            }
        };
    }

    private static Ledger withoutDurableStops(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public Optional<RunRecord> requestStop(RunId run, StopReason stop) {
                return ledger.runs().find(run);
            }

            @Override
            public void requestStop(RunId run, int attempt, StopReason stop) {}
        };
    }

    private static Ledger withoutCallKeys(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public RunRecord submit(NewRun run, Caps caps) {
                return ledger.submit(
                        new NewRun(
                                run.id(),
                                run.name(),
                                run.owner(),
                                run.agent(),
                                run.driver(),
                                run.profile(),
                                run.description(),
                                run.cwd(),
                                run.budget(),
                                run.resumeOnLoss(),
                                run.depth(),
                                run.parent()),
                        caps);
            }
        };
    }

    private static Ledger withoutCaps(Ledger ledger) {
        return new LedgerVariant(ledger) {
            @Override
            public List<RunRecord> claim(Caps caps, int limit) {
                return ledger.claim(Caps.NONE, limit);
            }
        };
    }
}
