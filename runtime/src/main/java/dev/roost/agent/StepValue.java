package dev.roost.agent;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A step's value as the journal stores it: its type and its JSON. */
record StepValue(String type, JsonNode value) {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Set<Class<?>> SIMPLE =
            Set.of(String.class, Boolean.class, Integer.class, Long.class, Double.class);
    private static final String NOTHING = "nothing";

    static StepValue of(String step, @Nullable Object value) {
        if (value == null) return new StepValue(NOTHING, JSON.nullNode());
        var type = typeOf(value);
        if (type == null) {
            throw new IllegalArgumentException(
                    "The value of the step \"%s\" is a %s, which cannot be given back after a loss. Return a string, number, boolean, enum, record, or a list or map of strings, numbers and booleans."
                            .formatted(step, value.getClass().getName()));
        }
        try {
            return new StepValue(type, JSON.valueToTree(value));
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "The value of the step \"%s\" cannot be stored: %s".formatted(step, e.getOriginalMessage()), e);
        }
    }

    private static @Nullable String typeOf(Object value) {
        return switch (value) {
            case Enum<?> one -> one.getDeclaringClass().getName();
            case Record one -> one.getClass().getName();
            case List<?> _ -> List.class.getName();
            case Map<?, ?> _ -> Map.class.getName();
            default -> SIMPLE.contains(value.getClass()) ? value.getClass().getName() : null;
        };
    }

    @Nullable
    Object read(String step) {
        if (type.equals(NOTHING)) return null;
        try {
            return JSON.treeToValue(value, Class.forName(type));
        } catch (ClassNotFoundException | JacksonException e) {
            throw new IllegalStateException(
                    "The value of the step \"%s\" was stored as a %s and cannot be read as one: %s"
                            .formatted(step, type, e.getMessage()),
                    e);
        }
    }
}
