package dev.roost.checks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The recorded duration of each class, in whole seconds by its title: one line {@code title<TAB>seconds} each. It decides only
 * the order.
 */
final class Durations {

    /** Used for a class without a record. */
    private static final double UNKNOWN = 10;

    private final Path file;
    private final Map<String, Double> recorded = new TreeMap<>();

    private Durations(Path file) {
        this.file = file;
    }

    static Durations read(Path file) throws IOException {
        var durations = new Durations(file);
        if (!Files.exists(file)) return durations;
        for (var line : Files.readAllLines(file)) {
            int tab = line.indexOf('\t');
            if (tab > 0) durations.recorded.put(line.substring(0, tab), Double.valueOf(line.substring(tab + 1)));
        }
        return durations;
    }

    double of(CheckEntry entry) {
        return recorded.getOrDefault(entry.title(), UNKNOWN);
    }

    /** Writes the new durations; forgets deleted classes if all were run. */
    void record(Collection<ClassResult> results, boolean all) throws IOException {
        var updated = new TreeMap<String, Double>();
        for (var result : results) updated.merge(result.entry().title(), result.seconds(), Math::max);
        if (all) recorded.keySet().removeIf(title -> !title.endsWith("@portable"));
        recorded.putAll(updated);
        var text = new StringBuilder();
        recorded.forEach((title, seconds) ->
                text.append(title).append('\t').append(Math.round(seconds)).append('\n'));
        Files.writeString(file, text);
    }
}
