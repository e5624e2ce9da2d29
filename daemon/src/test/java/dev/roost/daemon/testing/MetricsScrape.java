package dev.roost.daemon.testing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A page of meters, read as Prometheus reads it: name and labels, then a value. */
public record MetricsScrape(Map<String, Double> samples, Map<String, String> types, Map<String, String> helps) {

    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{.*\\})? ([^ ]+)(?: .*)?");

    public static MetricsScrape of(String page) {
        var samples = new LinkedHashMap<String, Double>();
        var types = new LinkedHashMap<String, String>();
        var helps = new LinkedHashMap<String, String>();
        for (var line : page.lines().toList()) {
            var words = line.split(" ", 4);
            if (line.startsWith("# TYPE ")) types.put(words[2], words[3]);
            else if (line.startsWith("# HELP ")) helps.put(words[2], words[3]);
            else if (!line.startsWith("#")) {
                var sample = SAMPLE.matcher(line);
                if (!sample.matches()) throw new AssertionError("not a sample: " + line);
                var labels = sample.group(2) == null ? "" : sample.group(2);
                if (samples.put(sample.group(1) + labels, value(sample.group(3))) != null)
                    throw new AssertionError("twice: " + line);
            }
        }
        return new MetricsScrape(samples, types, helps);
    }

    private static double value(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    /** The value of this very series; 0 if there is none. */
    public double at(String series) {
        return samples.getOrDefault(series, 0.0);
    }

    /** The sum of all series of this name that have all of these pairs, written {@code status="failed"}. */
    public double sum(String name, String... pairs) {
        return samples.entrySet().stream()
                .filter(one -> one.getKey().equals(name) || one.getKey().startsWith(name + "{"))
                .filter(one -> java.util.Arrays.stream(pairs).allMatch(one.getKey()::contains))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    public Set<String> names() {
        var names = new TreeSet<String>();
        samples.keySet().forEach(series -> names.add(series.replaceFirst("\\{.*", "")));
        return names;
    }
}
