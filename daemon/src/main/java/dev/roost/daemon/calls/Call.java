package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One thing that can be asked for: which fields it takes, and how it is answered. */
public record Call(List<Field> fields, Answering how) {

    /** Answers a caller. */
    public interface Answering {
        Reply answer(Params params, Caller caller);
    }

    static Call of(Answering how, Field... fields) {
        return new Call(List.of(fields), how);
    }

    public Reply answer(@Nullable JsonNode given, Caller caller) {
        return how.answer(Params.of(given, names(fields)), caller);
    }

    public static String[] names(List<Field> fields) {
        return fields.stream().map(Field::name).toArray(String[]::new);
    }
}
