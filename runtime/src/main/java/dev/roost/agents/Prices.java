package dev.roost.agents;

import dev.roost.model.Usage;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** Prices of models, for programs that report no cost. The longest matching prefix of the model's name decides. */
public record Prices(Map<String, Price> byModel) {

    public static final Prices NONE = new Prices(Map.of());

    /** Dollars per million tokens. */
    public record Price(double input, double cached, double output) {}

    /** The cost in millionths of a dollar: at one dollar per million, a token costs one of them. */
    public Optional<Long> cost(String model, Usage usage) {
        return byModel.entrySet().stream()
                .filter(entry -> model.startsWith(entry.getKey()))
                .max(Comparator.comparingInt(entry -> entry.getKey().length()))
                .map(Map.Entry::getValue)
                .map(price -> Math.round(
                        usage.input() * price.input + usage.cached() * price.cached + usage.output() * price.output));
    }
}
