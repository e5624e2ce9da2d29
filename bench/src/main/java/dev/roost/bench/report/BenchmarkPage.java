package dev.roost.bench.report;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;

/** Writes the figures into a page of the documentation, between two marks, and charts beside it. */
public final class BenchmarkPage {

    private static final String BEGIN = "<!-- figures -->\n";
    private static final String END = "<!-- end of figures -->\n";

    private final BenchmarkReport benchmarkReport;

    public BenchmarkPage(BenchmarkReport benchmarkReport) {
        this.benchmarkReport = benchmarkReport;
    }

    public void write(Path file) throws IOException {
        var text = Files.readString(file);
        int from = text.indexOf(BEGIN);
        int to = text.indexOf(END);
        if (from < 0 || to < from) throw new IOException(file + " has no marks for the figures");
        Files.writeString(file, text.substring(0, from + BEGIN.length()) + tables(file) + text.substring(to));
    }

    private String tables(Path file) throws IOException {
        var text = new StringBuilder("\nMedians, with the least and the most of the rounds.\n");
        var benches = benchmarkReport.figures().stream()
                .map(BenchmarkReport.Figure::bench)
                .distinct()
                .toList();
        for (var bench : benches) {
            text.append("\n### ").append(bench).append("\n\n| | | aim |\n| --- | --- | --- |\n");
            var bars = new ArrayList<BenchmarkReport.Figure>();
            for (var figure : benchmarkReport.figures()) {
                if (!figure.bench().equals(bench)) continue;
                var aim = figure.aim().map(one -> (one.met() ? "✓ " : "✗ ") + one.words());
                text.append("| %s | %s | %s |\n".formatted(figure.name(), figure.words(), aim.orElse("")));
                if (!figure.rounds().isEmpty() && figure.aim().isEmpty()) bars.add(figure);
            }
            // a bar needs another one of its unit to compare with, but a ratio does not
            var units = bars.stream().collect(groupingBy(BenchmarkReport.Figure::unit, counting()));
            bars.removeIf(figure -> figure.unit().equals("times") || units.getOrDefault(figure.unit(), 0L) < 2);
            if (bars.size() < 2) continue;
            var picture = "bench-%s.svg".formatted(bench.toLowerCase(Locale.ROOT));
            Files.writeString(file.resolveSibling(picture), BarChart.bars(bars));
            text.append("\n![%s](%s)\n".formatted(bench, picture));
        }
        return text.append('\n').toString();
    }
}
