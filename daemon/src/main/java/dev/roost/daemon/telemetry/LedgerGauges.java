package dev.roost.daemon.telemetry;

import dev.roost.ledger.record.LedgerStats;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.service.RoostService;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Gauges that are read from the ledger at each scrape, so they agree with every other surface. */
final class LedgerGauges implements MultiCollector {

    private static final int OWNERS = 50;

    private final RoostService service;
    private final ReadinessProbe readinessProbe;
    private final Map<String, Double> highest = new HashMap<>();

    LedgerGauges(RoostService service, ReadinessProbe readinessProbe) {
        this.service = service;
        this.readinessProbe = readinessProbe;
    }

    @Override
    public synchronized MetricSnapshots collect() {
        var stats = service.maintenance().tally(OWNERS);
        var all = new ArrayList<MetricSnapshot>();
        runs(stats, all);
        notices(stats, all);
        spend(stats, all);
        all.add(gauge("roost_perches", "Attempts whose perch this daemon supervises.", service.liveCount()));
        all.add(gauge("roost_ledger_waiting_writes", "Writes that wait for a commit.", stats.waitingWrites()));
        all.add(gauge(
                "roost_ledger_bytes", "Size of the ledger and its write-ahead log on disk.", (double) stats.bytes()));
        all.add(gauge("roost_ready", "Whether /readyz says ready: 1 if so, else 0.", readinessProbe.isReady() ? 1 : 0));
        return new MetricSnapshots(all);
    }

    private static void runs(LedgerStats stats, List<MetricSnapshot> all) {
        var live = new ArrayList<GaugeDataPointSnapshot>();
        for (var one : stats.live()) {
            var labels = Labels.of(
                    "agent",
                    one.agent(),
                    "phase",
                    one.phase().word(),
                    "status",
                    one.status().word());
            live.add(point(one.runs(), labels));
        }
        all.add(gauge("roost_runs", "Live runs, by agent, status and phase.", live));
        all.add(gauge(
                "roost_owner_runs",
                "Live runs of an owner; the %d owners with most of them.".formatted(OWNERS),
                stats.busiest().stream()
                        .map(one ->
                                point(one.runs(), Labels.of("owner", one.owner().id())))
                        .toList()));
        all.add(gauge(
                "roost_unread_attempts", "Ended attempts that their owner has not read.", (double) stats.unread()));
        var queued = stats.live().stream()
                .filter(one -> one.status() == Status.QUEUED && one.phase() != Phase.PARKED)
                .map(LedgerStats.LiveRuns::since)
                .min(Instant::compareTo);
        all.add(gauge(
                "roost_queue_oldest_age_seconds",
                "How long the oldest queued run has waited for a slot; parked ones wait for a time and do not count.",
                age(stats, queued)));
        var asked = stats.live().stream()
                .filter(one -> one.phase() == Phase.NEEDS_INPUT)
                .flatMap(one -> one.asked().stream())
                .min(Instant::compareTo);
        all.add(gauge(
                "roost_question_oldest_age_seconds",
                "How long the oldest question of an agent has waited for its answer.",
                age(stats, asked)));
    }

    private static void notices(LedgerStats stats, List<MetricSnapshot> all) {
        var oldest = new TreeMap<String, Instant>();
        var pending = new ArrayList<GaugeDataPointSnapshot>();
        for (var one : stats.notices()) {
            oldest.merge(one.session(), one.since(), (a, b) -> a.isBefore(b) ? a : b);
            pending.add(point(one.notices(), Labels.of("kind", one.kind(), "session", one.session())));
        }
        all.add(gauge(
                "roost_notices_pending",
                "Notices that are not acknowledged, by the state of the session they are for (none: no session is known).",
                pending));
        all.add(gauge(
                "roost_notices_oldest_age_seconds",
                "How long the oldest pending notice has waited, by the state of the session it is for.",
                oldest.entrySet().stream()
                        .map(one -> point(age(stats, Optional.of(one.getValue())), Labels.of("session", one.getKey())))
                        .toList()));
        all.add(gauge(
                "roost_deliveries_pending",
                "Notices that are not yet delivered, by channel.",
                stats.deliveries().stream()
                        .map(one -> point(one.notices(), Labels.of("channel", one.channel())))
                        .toList()));
        all.add(gauge(
                "roost_deliveries_failing",
                "Undelivered notices whose delivery failed at least once, by channel.",
                stats.deliveries().stream()
                        .map(one -> point(one.failing(), Labels.of("channel", one.channel())))
                        .toList()));
    }

    private void spend(LedgerStats stats, List<MetricSnapshot> all) {
        all.add(counter(
                "roost_tokens",
                "Tokens used since the ledger began.",
                List.of(highestSoFar("tokens", (double) stats.spent().tokens(), Labels.EMPTY))));
        all.add(counter(
                "roost_cost_usd",
                "Dollars spent since the ledger began, where the cost is known.",
                List.of(highestSoFar("cost", stats.spent().costMicros() / 1e6, Labels.EMPTY))));
        var tokens = new ArrayList<CounterDataPointSnapshot>();
        var cost = new ArrayList<CounterDataPointSnapshot>();
        for (var one : stats.spenders()) {
            var owner = one.owner().id();
            var labels = Labels.of("owner", owner);
            tokens.add(highestSoFar("tokens of " + owner, (double) one.spent().tokens(), labels));
            cost.add(highestSoFar("cost of " + owner, one.spent().costMicros() / 1e6, labels));
        }
        var scope = " the %d owners with the highest spend.".formatted(OWNERS);
        all.add(counter("roost_owner_tokens", "Tokens an owner's runs used since the ledger began;" + scope, tokens));
        all.add(counter("roost_owner_cost_usd", "Dollars an owner's runs cost since the ledger began;" + scope, cost));
    }

    /** The highest value so far. An estimate may be corrected downwards, but Prometheus takes a falling counter for a reset. */
    private CounterDataPointSnapshot highestSoFar(String key, double value, Labels labels) {
        double most = highest.merge(key, Math.max(0, value), Math::max);
        return CounterDataPointSnapshot.builder().value(most).labels(labels).build();
    }

    private static double age(LedgerStats stats, Optional<Instant> since) {
        return since.map(at -> Math.max(0, Duration.between(at, stats.at()).toMillis() / 1e3))
                .orElse(0.0);
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return gauge(name, help, List.of(point(value, Labels.EMPTY)));
    }

    private static GaugeSnapshot gauge(String name, String help, List<GaugeDataPointSnapshot> points) {
        var gauge = GaugeSnapshot.builder().name(name).help(help);
        points.forEach(gauge::dataPoint);
        return gauge.build();
    }

    private static CounterSnapshot counter(String name, String help, List<CounterDataPointSnapshot> points) {
        var counter = CounterSnapshot.builder().name(name).help(help);
        points.forEach(counter::dataPoint);
        return counter.build();
    }
}
