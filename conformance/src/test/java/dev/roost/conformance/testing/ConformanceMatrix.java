package dev.roost.conformance.testing;

import dev.roost.conformance.agents.ConformanceAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of agents and cases, as a table. */
public final class ConformanceMatrix {

    private static final String BEGIN = "<!-- matrix -->";
    private static final String END = "<!-- /matrix -->";

    private record Cell(boolean passed, double seconds) {}

    private final Map<ConformanceAgent, Map<ConformanceCase, Cell>> cells = new EnumMap<>(ConformanceAgent.class);

    public synchronized void record(
            ConformanceAgent conformanceAgent, ConformanceCase one, boolean passed, double seconds) {
        cells.computeIfAbsent(conformanceAgent, _ -> new EnumMap<>(ConformanceCase.class))
                .put(one, new Cell(passed, seconds));
        System.out.printf(
                Locale.ROOT,
                "  %s: %s %s %.0f s%n",
                conformanceAgent.title(),
                one.title(),
                passed ? "✓" : "✗",
                seconds);
    }

    public synchronized String table() {
        var reasons = new ArrayList<String>();
        var text = new StringBuilder("| |");
        for (var conformanceAgent : cells.keySet())
            text.append(' ').append(conformanceAgent.title()).append(" |");
        text.append("\n| --- |").append(" --- |".repeat(cells.size())).append('\n');
        for (var one : ConformanceCase.values()) {
            if (cells.values().stream().noneMatch(row -> row.containsKey(one))) continue;
            text.append("| ").append(one.title()).append(" |");
            for (var conformanceAgent : cells.keySet())
                text.append(' ').append(cell(conformanceAgent, one, reasons)).append(" |");
            text.append('\n');
        }
        text.append("| seconds in all |");
        for (var row : cells.values()) {
            double sum = row.values().stream().mapToDouble(Cell::seconds).sum();
            text.append(String.format(Locale.ROOT, " %.0f |", sum));
        }
        text.append('\n');
        int n = 1;
        for (var reason : reasons) text.append("\n").append(n++).append(". ").append(reason);
        return text.append('\n').toString();
    }

    private String cell(ConformanceAgent conformanceAgent, ConformanceCase one, List<String> reasons) {
        var impossible = one.impossible(conformanceAgent);
        if (impossible.isPresent()) {
            if (!reasons.contains(impossible.get())) reasons.add(impossible.get());
            return "–" + superscript(reasons.indexOf(impossible.get()) + 1);
        }
        var cell = cells.getOrDefault(conformanceAgent, Map.of()).get(one);
        if (cell == null) return "not played";
        return (cell.passed ? "✓" : "✗") + String.format(Locale.ROOT, " %.0f s", cell.seconds);
    }

    private static String superscript(int n) {
        return Integer.toString(n)
                .chars()
                .mapToObj(digit -> "⁰¹²³⁴⁵⁶⁷⁸⁹".substring(digit - '0', digit - '0' + 1))
                .collect(Collectors.joining());
    }

    /** Replaces the text between the two marks. */
    public void write(Path file) throws IOException {
        var text = Files.readString(file);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) throw new IOException(file + " has no marks for the table");
        var versions = Stream.of(ConformanceAgent.values())
                .map(conformanceAgent -> conformanceAgent.cli().packages().getFirst())
                .distinct()
                .collect(Collectors.joining(", "));
        Files.writeString(
                file,
                text.substring(0, begin) + BEGIN + "\n\nOn "
                        + LocalDate.now(ZoneOffset.UTC) + ", with " + versions + ":\n\n" + table() + "\n"
                        + text.substring(end));
    }
}
