package dev.roost.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** Collects the figures of a measurement. */
public final class BenchmarkReport {

    /** Repeated measurements of one figure; {@code rounds} is sorted. Text replaces a value that is not a number. */
    record Figure(String bench, String name, String unit, List<Double> rounds, Optional<Aim> aim, String text) {

        double median() {
            return rounds.get(rounds.size() / 2);
        }

        String words() {
            if (rounds.isEmpty()) return text;
            var value = number(median()) + " " + unit;
            if (rounds.size() > 1)
                value += " (%s to %s)".formatted(number(rounds.getFirst()), number(rounds.getLast()));
            return text.isEmpty() ? value : value + ", " + text;
        }

        static String number(double value) {
            double size = Math.abs(value);
            return String.format(Locale.ROOT, size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f", value);
        }
    }

    /** The aim of a figure, and whether it is met. */
    record Aim(String words, boolean met) {}

    private final List<Figure> figures = new ArrayList<>();
    private String bench = "";

    public void begin(String name) {
        bench = name;
    }

    List<Figure> figures() {
        return List.copyOf(figures);
    }

    public void add(String name, String unit, double... rounds) {
        put(name, unit, rounds, Optional.empty(), "");
    }

    public void noted(String name, String unit, String note, double... rounds) {
        put(name, unit, rounds, Optional.empty(), note);
    }

    /** Aims at a minimum. */
    public void atLeast(double aim, String name, String unit, double... rounds) {
        aimed(name, unit, "at least %s %s".formatted(Figure.number(aim), unit), median(rounds) >= aim, rounds);
    }

    public void atMost(double aim, String name, String unit, double... rounds) {
        aimed(name, unit, "at most %s %s".formatted(Figure.number(aim), unit), median(rounds) <= aim, rounds);
    }

    private void aimed(String name, String unit, String aim, boolean met, double... rounds) {
        put(name, unit, rounds, Optional.of(new Aim(aim, met)), "");
    }

    public void text(String name, String text) {
        put(name, "", new double[0], Optional.empty(), text);
    }

    /** Durations in milliseconds, of which the slow ones matter. */
    public void spread(String name, double... millis) {
        text(name, quantiles(millis));
    }

    public static String quantiles(double... millis) {
        return String.format(
                Locale.ROOT,
                "p50 %.1f ms, p99 %.1f ms, max %.1f ms",
                median(millis),
                quantile(millis, 0.99),
                quantile(millis, 1));
    }

    private void put(String name, String unit, double[] rounds, Optional<Aim> aim, String text) {
        figures.add(new Figure(
                bench, name, unit, DoubleStream.of(rounds).sorted().boxed().toList(), aim, text));
    }

    public static double median(double... values) {
        return quantile(values, 0.5);
    }

    /** The quantile: this share of the values is not greater. */
    public static double quantile(double[] values, double part) {
        var sorted = DoubleStream.of(values).sorted().toArray();
        return sorted[Math.min(sorted.length - 1, (int) (sorted.length * part))];
    }
}
