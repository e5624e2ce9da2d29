package dev.roost.agents;

import dev.roost.model.Usage;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** What models cost, for programs that do not say: by the beginning of a model's name, the longest that fits. */
public record Prices(Map<String, Price> byModel) {

    public static final Prices NONE = new Prices(Map.of());

    /** Dollars for a million tokens. */
    public record Price(double input, double cached, double output) {}

    /** In millionths of a dollar, which is what a token costs at a dollar a million. */
    public Optional<Long> cost(String model, Usage usage) {
        return byModel.entrySet().stream()
                .filter(entry -> model.startsWith(entry.getKey()))
                .max(Comparator.comparingInt(entry -> entry.getKey().length()))
                .map(Map.Entry::getValue)
                .map(price -> Math.round(
                        usage.input() * price.input + usage.cached() * price.cached + usage.output() * price.output));
    }
}
