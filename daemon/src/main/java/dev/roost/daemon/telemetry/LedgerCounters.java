package dev.roost.daemon.telemetry;

import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.model.Cause;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Counts events since the daemon's start. {@link LedgerGauges} has the values of the moment. */
final class LedgerCounters implements LedgerMetrics {

    private static final EnumSet<Cause> LOSSES =
            EnumSet.of(Cause.PERCH_LOST, Cause.HOST_REBOOT, Cause.WORKER_LOST, Cause.OUT_OF_MEMORY);

    private final Timer commits;
    private final DistributionSummary writes;
    private final Counter failures;
    private final MeterProvider<Timer> spawns;
    private final MeterProvider<Timer> launches;
    private final MeterProvider<Timer> ends;
    private final MeterProvider<Timer> work;
    private final MeterProvider<Counter> ended;
    private final Counter deaths;
    private final Set<String> known = ConcurrentHashMap.newKeySet(); // agents whose counters exist, even if they are 0
    private final MeterProvider<Counter> tokens;
    private final MeterProvider<Counter> cost;
    private final Timer notices;

    LedgerCounters(MeterRegistry registry) {
        this.commits = Timer.builder("roost.ledger.commit")
                .description("How long the ledger takes to make a group of writes durable.")
                .serviceLevelObjectives(Buckets.COMMITS)
                .register(registry);
        this.writes = DistributionSummary.builder("roost.ledger.commit.writes")
                .description("How many writes went into one commit of the ledger.")
                .serviceLevelObjectives(Buckets.WRITES)
                .register(registry);
        this.failures = Counter.builder("roost.ledger.commit.failures")
                .description("Commits of the ledger that failed, each with all its writes.")
                .register(registry);
        this.spawns = Timer.builder("roost.spawn.lag")
                .description("From the request for an attempt until its process existed.")
                .serviceLevelObjectives(Buckets.LAGS)
                .withRegistry(registry);
        this.launches = Timer.builder("roost.launch")
                .description("From the claim of a slot for an attempt until its process existed.")
                .serviceLevelObjectives(Buckets.LAGS)
                .withRegistry(registry);
        this.ends = Timer.builder("roost.end.lag")
                .description(
                        "From the exit of an attempt's process until its end was committed, if a daemon was running at that time.")
                .serviceLevelObjectives(Buckets.LAGS)
                .withRegistry(registry);
        this.work = Timer.builder("roost.attempt.active")
                .description("How long an attempt worked, without sleep and without waiting for an answer.")
                .serviceLevelObjectives(Buckets.WORK)
                .withRegistry(registry);
        this.ended = Counter.builder("roost.attempts.ended")
                .description("Attempts that ended since the daemon's start, by status and cause.")
                .withRegistry(registry);
        this.deaths = Counter.builder("roost.attempts.died")
                .description("Attempts that failed or were lost since the daemon's start.")
                .register(registry);
        this.tokens = Counter.builder("roost.agent.tokens")
                .description("Tokens used by attempts that ended since the daemon's start.")
                .withRegistry(registry);
        this.cost = Counter.builder("roost.agent.cost.usd")
                .description("Cost in dollars of attempts that ended since the daemon's start, where it is known.")
                .withRegistry(registry);
        this.notices = Timer.builder("roost.notice.wait")
                .description("From the creation of a notice until it was acknowledged or became obsolete.")
                .serviceLevelObjectives(Buckets.WAITS)
                .register(registry);
    }

    @Override
    public void committed(int count, Duration took) {
        commits.record(took);
        writes.record(count);
    }

    @Override
    public void failed(int count) {
        failures.increment();
    }

    @Override
    public void attemptStarted(AttemptStart begun) {
        var agent = begun.run().agent();
        if (known.add(agent)) initializeEnds(agent);
        begun.lag().ifPresent(lag -> spawns.withTag("agent", agent).record(lag));
        begun.run()
                .latest()
                .startedAt()
                .map(claimed -> Duration.between(claimed, begun.at()))
                .filter(lag -> !lag.isNegative())
                .ifPresent(lag -> launches.withTag("agent", agent).record(lag));
    }

    /** Creates the counters at 0. Prometheus sees no increase of a counter whose first value is 1. */
    private void initializeEnds(String agent) {
        count(agent, Status.COMPLETED, Cause.FINISHED);
        count(agent, Status.COMPLETED_EMPTY, Cause.FINISHED);
        count(agent, Status.CANCELED_BY_USER, Cause.STOPPED);
        for (var cause : LOSSES) count(agent, Status.ABANDONED, cause);
        EnumSet.complementOf(LOSSES).stream()
                .filter(cause -> cause != Cause.FINISHED && cause != Cause.STOPPED)
                .forEach(cause -> count(agent, Status.FAILED, cause));
    }

    private Counter count(String agent, Status status, Cause cause) {
        return ended.withTags("agent", agent, "status", status.word(), "cause", cause.word());
    }

    private static boolean isDeath(Status status) {
        return status == Status.FAILED || status == Status.ABANDONED;
    }

    @Override
    public void attemptEnded(AttemptEndMetrics one) {
        var agent = one.run().agent();
        var status = one.outcome().status().word();
        ended.withTags(
                        "agent",
                        agent,
                        "status",
                        status,
                        "cause",
                        one.outcome().cause().word())
                .increment();
        if (isDeath(one.outcome().status())) deaths.increment();
        one.lag().ifPresent(lag -> ends.withTag("agent", agent).record(lag));
        one.end()
                .evidence()
                .active()
                .ifPresent(
                        time -> work.withTags("agent", agent, "status", status).record(time));
        var usage = one.end().progress().usage();
        if (usage.tokens() + usage.cached() > 0) {
            tokens.withTags("agent", agent, "type", "input").increment((double) usage.input());
            tokens.withTags("agent", agent, "type", "cached").increment((double) usage.cached());
            tokens.withTags("agent", agent, "type", "output").increment((double) usage.output());
        }
        usage.costMicros().ifPresent(micros -> cost.withTag("agent", agent).increment(micros / 1e6));
    }

    @Override
    public void acknowledged(RunId run, long notice, Duration waited) {
        notices.record(waited);
    }
}
