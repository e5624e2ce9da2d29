package dev.roost.attempt.core;

import dev.roost.attempt.core.Observation.AgentView;
import dev.roost.attempt.core.Observation.PerchView;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides the next actions for one attempt. Each decision is made from the whole observation instead of single events, so a missed
 * or repeated event does no harm. It keeps only times and what it has already asked for; the same observations give the same
 * decisions.
 */
public final class AttemptStateMachine {

    /** How long a perch may live after it has recorded the exit. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    private static final Duration FENCE_RETRY = Duration.ofSeconds(1);

    private final AttemptRules rules;
    private final EndRule ends;
    private final QuietMonitor quiet;
    private final BudgetRule budget;
    private final StopEscalation escalation = new StopEscalation();
    private final ExitGrace exitGrace = new ExitGrace();

    private Optional<ProcessId> watched = Optional.empty();
    private boolean reattached;
    private boolean sampled; // in this step: one sample is enough, however long it took
    private boolean swept; // everything is killed, so that no child of a dead perch can record a start any more
    private OptionalLong exitSeenAt = OptionalLong.empty();
    private OptionalLong fencedAt = OptionalLong.empty();

    /** {@code wasQuiet}: the ledger says that it is quiet. */
    public AttemptStateMachine(AttemptRules rules, long now, boolean wasQuiet) {
        this.rules = rules;
        this.ends = new EndRule(rules);
        this.quiet = new QuietMonitor(now, rules.quietAfter(), wasQuiet);
        this.budget = new BudgetRule(rules, quiet);
    }

    public Decision next(Observation seen) {
        if (seen.ended()) return Decision.done();
        if (seen.orders().fenced()) return fenced(seen.now());
        return switch (seen.perch()) {
            case PerchView.Unknown _ -> Decision.again(new AttemptAction.FindPerch());
            case PerchView.NotLaunched _ -> notLaunched(seen.orders());
            case PerchView.Unlaunchable(var reason) -> Decision.again(ends.notStarted(reason));
            case PerchView.Launched perch -> launched(seen, perch);
        };
    }

    private Decision fenced(long now) {
        if (fencedAt.isPresent() && now - fencedAt.getAsLong() < FENCE_RETRY.toNanos())
            return Decision.await(OptionalLong.of(fencedAt.getAsLong() + FENCE_RETRY.toNanos()));
        fencedAt = OptionalLong.of(now);
        return Decision.again(new AttemptAction.KillFenced());
    }

    private Decision notLaunched(Observation.AttemptOrders orders) {
        if (orders.stop().isPresent())
            return Decision.again(ends.stoppedBeforeStart(orders.stop().get()));
        // making a worktree may take long: the loop does it, so that the daemon's start does not wait for it
        boolean later = orders.recovering() && rules.hasWorktree();
        if (orders.detached() || later) return Decision.await(OptionalLong.empty());
        reattached = true; // what this daemon launches itself is not found alive
        return Decision.again(new AttemptAction.LaunchPerch());
    }

    private Decision launched(Observation seen, PerchView.Launched perch) {
        var first = new ArrayList<AttemptAction>();
        boolean sameBoot = perch.bootId().equals(seen.bootId());
        boolean gone = !sameBoot || !perch.alive();
        if (sameBoot && !watched.equals(Optional.of(perch.id()))) {
            watched = Optional.of(perch.id());
            first.add(new AttemptAction.WatchPerch(perch.id()));
        }
        if (seen.orders().recovering() && !reattached && !gone && seen.exit().isEmpty()) {
            reattached = true;
            first.add(new AttemptAction.NoteReattached());
        }
        if (seen.started().isEmpty() && seen.startRecord().isPresent()) {
            quiet.activitySeen(
                    seen.now()); // making a worktree and launching may take longer than an agent may be quiet
            return Decision.again(
                            new AttemptAction.RecordStart(seen.startRecord().get(), sameBoot))
                    .after(first);
        }
        var next = seen.exit().isPresent()
                ? exited(seen, seen.exit().get(), gone)
                : gone ? vanished(seen, sameBoot ? Cause.PERCH_LOST : Cause.HOST_REBOOT) : running(seen, perch.id());
        return next.after(first);
    }

    private Decision exited(Observation seen, Exit exit, boolean gone) {
        if (exitSeenAt.isEmpty()) exitSeenAt = OptionalLong.of(seen.now());
        long until = exitSeenAt.getAsLong() + PERCH_GRACE.toNanos();
        if (!gone && seen.now() < until) return Decision.await(OptionalLong.of(until));
        if (seen.remains().isEmpty()) return Decision.again(new AttemptAction.CollectRemains(Optional.of(exit)));
        var remains = seen.remains().get();
        return Decision.again(isMoving(seen) ? ends.moved(remains) : ends.exited(exit, remains));
    }

    private Decision vanished(Observation seen, Cause cause) {
        if (seen.started().isEmpty()) return vanishedUnstarted(seen.orders().stop());
        if (seen.remains().isEmpty()) return Decision.again(new AttemptAction.CollectRemains(Optional.empty()));
        var remains = seen.remains().get();
        return Decision.again(isMoving(seen) ? ends.moved(remains) : ends.vanished(cause, remains));
    }

    /** The agent's first instruction was never reached, so another launch is no second run. */
    private Decision vanishedUnstarted(Optional<StopReason> stop) {
        if (!swept) {
            swept = true;
            return Decision.again(new AttemptAction.KillAll());
        }
        swept = false;
        return Decision.again(stop.isPresent() ? ends.stoppedBeforeStart(stop.get()) : new AttemptAction.ForgetPerch());
    }

    private static boolean isMoving(Observation seen) {
        return seen.orders().moving() && seen.orders().stop().isEmpty();
    }

    private Decision running(Observation seen, ProcessId perch) {
        long now = seen.now();
        var agent = seen.agent();
        var orders = seen.orders();
        boolean reported = agent.finalReport().isPresent();
        var actions = new ArrayList<AttemptAction>();
        if (!seen.agentAlive()) actions.add(new AttemptAction.ResumePerch(perch));
        updateQuiet(seen);
        exitGrace.watch(now, reported);
        var started = seen.started();
        if (orders.stop().isEmpty() && !orders.moving() && started.isPresent() && !reported) {
            // one that is being ended, or has sent its final report, cannot exceed a cap any more
            var cap = budget.exceeded(now, agent);
            if (cap.isPresent())
                return Decision.again(new AttemptAction.RequestStop(new StopReason.BudgetStop(cap.get())))
                        .after(actions);
        }
        if (orders.stop().isPresent() || (orders.moving() && !reported)) {
            actions.addAll(escalation.next(now, perch, started.map(StartedProcesses::agent), orders.recovering()));
            return new Decision(List.copyOf(actions), new Decision.Continuation.Await(escalation.due()));
        }
        if (started.isEmpty()) return Decision.await(OptionalLong.empty()).after(actions);
        if (!sampled && !reported && agent.question().isEmpty() && quiet.isSampleDue(now)) {
            sampled = true;
            return Decision.again(new AttemptAction.SampleProcessor(
                            rules.isPlainProgram()
                                    ? Set.of(perch)
                                    : Set.of(perch, started.get().agent())))
                    .after(actions);
        }
        sampled = false;
        actions.addAll(supervise(now, agent, perch, started.get().agent()));
        return new Decision(List.copyOf(actions), new Decision.Continuation.Await(due(now, agent)));
    }

    private void updateQuiet(Observation seen) {
        var agent = seen.agent();
        boolean active = agent.spoke()
                || (agent.finalReport().isEmpty() && (agent.question().isPresent() || agent.toolRunning()));
        if (active) quiet.activitySeen(seen.now());
        seen.sample().ifPresent(quiet::add);
    }

    private List<AttemptAction> supervise(long now, AgentView agent, ProcessId perch, ProcessId process) {
        var actions = new ArrayList<AttemptAction>();
        if (agent.finalReport().isPresent()) {
            if (exitGrace.isLingering(now) && agent.phase() != Phase.FINISHING) {
                actions.add(new AttemptAction.CollectResult());
                actions.add(new AttemptAction.SetPhase(Phase.FINISHING));
            }
            actions.addAll(exitGrace.next(now, perch, process));
        } else if (agent.question().isPresent()) {
            if (agent.phase() != Phase.NEEDS_INPUT || !agent.asked().equals(agent.question()))
                actions.add(new AttemptAction.SetPhase(Phase.NEEDS_INPUT));
            else if (!agent.answered())
                rules.answerTimeout()
                        .filter(timeout -> agent.waiting().compareTo(timeout) >= 0)
                        .ifPresent(timeout -> actions.add(new AttemptAction.PostTimeoutAnswer(
                                agent.question().get(), timeout)));
        } else {
            var phase = quiet.isQuiet(now) ? Phase.QUIET : Phase.WORKING;
            if (agent.phase() != phase) actions.add(new AttemptAction.SetPhase(phase));
        }
        return actions;
    }

    /** The next moment at which time alone changes the decision. */
    private OptionalLong due(long now, AgentView agent) {
        if (agent.finalReport().isPresent()) return exitGrace.due(now);
        if (agent.question().isPresent())
            return rules.answerTimeout().isEmpty() || agent.answered()
                    ? OptionalLong.empty()
                    : OptionalLong.of(now
                            + rules.answerTimeout().get().minus(agent.waiting()).toNanos());
        return Stream.of(budget.due(now, agent), OptionalLong.of(quiet.due(now)))
                .flatMapToLong(OptionalLong::stream)
                .min();
    }
}
