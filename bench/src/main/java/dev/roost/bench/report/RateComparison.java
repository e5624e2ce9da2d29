package dev.roost.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Compares several ways to do the same. They alternate, so that other load affects all of them. */
public final class RateComparison {

    private final int count;
    private final int rounds;
    private final Map<String, double[]> rates = new LinkedHashMap<>();

    private RateComparison(int count, int rounds) {
        this.count = count;
        this.rounds = rounds;
    }

    /** Does it {@code count} times. */
    public record Way(String name, Work work) {}

    public interface Work {
        void run(int count) throws Exception;
    }

    public interface One {
        /** Returns when it is done. */
        void run(int number) throws Exception;
    }

    public static RateComparison run(int warm, int count, int rounds, List<Way> ways) throws Exception {
        var rateComparison = new RateComparison(count, rounds);
        for (var way : ways) {
            rateComparison.rates.put(way.name, new double[rounds]);
            way.work.run(warm);
            if (way.work instanceof Callers callers) callers.times.clear();
        }
        for (int round = 0; round < rounds; round++) {
            for (int turn = 0; turn < ways.size(); turn++)
                rateComparison.turn(ways.get((turn + round) % ways.size()), round);
        }
        return rateComparison;
    }

    private void turn(Way way, int round) throws Exception {
        long began = System.nanoTime();
        way.work.run(count);
        rate(way.name)[round] = count / ((System.nanoTime() - began) / 1e9);
    }

    /** The rate per second in each round. */
    public double[] rate(String way) {
        var found = rates.get(way);
        if (found == null) throw new IllegalArgumentException(way);
        return found;
    }

    /** The ratio to another way in each round. */
    public double[] ratio(String way, String beside) {
        var ratios = new double[rounds];
        Arrays.setAll(ratios, round -> rate(way)[round] / rate(beside)[round]);
        return ratios;
    }

    /** Runs {@code callers} threads, each without pauses. Collects the duration of each call in milliseconds. */
    public static final class Callers implements Work {
        private final int callers;
        private final One one;
        private final List<Double> times = new ArrayList<>();

        public Callers(int callers, One one) {
            this.callers = callers;
            this.one = one;
        }

        @Override
        public void run(int count) throws Exception {
            var next = new AtomicInteger();
            Callable<List<Double>> caller = () -> {
                var own = new ArrayList<Double>();
                for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    long before = System.nanoTime();
                    one.run(i);
                    own.add((System.nanoTime() - before) / 1e6);
                }
                return own;
            };
            var all = new ArrayList<Future<List<Double>>>();
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < callers; i++) all.add(threads.submit(caller));
            }
            for (var ended : all) times.addAll(ended.get());
        }

        /** Of the durations of all calls. */
        public String quantiles() {
            var all = times.stream().mapToDouble(Double::doubleValue).toArray();
            return "p50 %.0f ms, p99 %.0f ms"
                    .formatted(BenchmarkReport.quantile(all, 0.5), BenchmarkReport.quantile(all, 0.99));
        }
    }
}
