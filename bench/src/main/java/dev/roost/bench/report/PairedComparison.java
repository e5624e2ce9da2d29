package dev.roost.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;

/**
 * Compares several ways to do the same. They alternate, so that other load affects all of them. The first is compared with each
 * of the others round by round.
 */
public final class PairedComparison {

    private final Plan plan;
    private final List<Way> ways;
    private final List<double[]> rates = new ArrayList<>();
    private final List<double[]> times = new ArrayList<>();

    /** {@code callers} threads; each starts its next run when the last has ended. */
    public record Plan(int callers, int warm, int runs, int rounds) {}

    public interface One {
        /** Returns after the run has ended. */
        void run(int number) throws Exception;
    }

    public record Way(String name, One one) {}

    private PairedComparison(Plan plan, List<Way> ways) {
        this.plan = plan;
        this.ways = ways;
        for (var _ : ways) {
            rates.add(new double[plan.rounds]);
            times.add(new double[plan.rounds * plan.runs]);
        }
    }

    public static Map<String, String> measure(String what, Plan plan, List<Way> ways) throws Exception {
        var pairedComparison = new PairedComparison(plan, ways);
        for (var way : ways) pairedComparison.all(way.one, plan.warm, new double[plan.warm], 0);
        for (int round = 0; round < plan.rounds; round++) {
            for (int turn = 0; turn < ways.size(); turn++) pairedComparison.turn((turn + round) % ways.size(), round);
        }
        return pairedComparison.figures(what);
    }

    private void turn(int which, int round) throws Exception {
        long began = System.nanoTime();
        all(ways.get(which).one, plan.runs, times.get(which), round * plan.runs);
        rates.get(which)[round] = plan.runs / ((System.nanoTime() - began) / 1e9);
    }

    private void all(One one, int count, double[] into, int from) throws Exception {
        var next = new AtomicInteger();
        Callable<Void> caller = () -> {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                long before = System.nanoTime();
                one.run(i);
                into[from + i] = (System.nanoTime() - before) / 1e6;
            }
            return null;
        };
        var callers = new ArrayList<Future<Void>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < plan.callers; i++) callers.add(threads.submit(caller));
        }
        for (var ended : callers) ended.get();
    }

    private Map<String, String> figures(String what) {
        var figures = new LinkedHashMap<String, String>();
        figures.put(
                what, "%d at once, %d rounds of %d runs each by turns".formatted(plan.callers, plan.rounds, plan.runs));
        for (int i = 0; i < ways.size(); i++) figures.put("  " + what + ": " + ways.get(i).name, figure(i));
        return figures;
    }

    private String figure(int which) {
        var sorted = times.get(which).clone();
        Arrays.sort(sorted);
        var line = String.format(
                Locale.ROOT,
                "%s runs/s, submit to end p50 %.1f ms, p99 %.1f ms",
                spread(rates.get(which), "%.0f"),
                sorted[sorted.length / 2],
                sorted[sorted.length * 99 / 100]);
        if (which == 0) return line;
        var ratios = new double[plan.rounds];
        Arrays.setAll(ratios, round -> rates.get(which)[round] / rates.get(0)[round]);
        return line + "; " + spread(ratios, "%.2f") + " times as many as the first";
    }

    /** The median, with minimum and maximum. */
    private static String spread(double[] values, String format) {
        var sorted = DoubleStream.of(values).sorted().toArray();
        return (format + " (" + format + " to " + format + ")")
                .formatted(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }
}
