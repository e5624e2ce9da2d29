package dev.roost.daemon.api;

import dev.roost.model.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One thing that can be asked for: which fields it takes, and how it is answered. */
public record Operation(List<FieldSpec> fields, OperationHandler handler) {

    /** Answers a caller. */
    public interface OperationHandler {
        ApiReply answer(RequestFields requestFields, Caller caller);
    }

    static Operation of(OperationHandler how, FieldSpec... fields) {
        return new Operation(List.of(fields), how);
    }

    public ApiReply answer(@Nullable JsonNode given, Caller caller) {
        return handler.answer(RequestFields.of(given, names(fields)), caller);
    }

    public static String[] names(List<FieldSpec> fields) {
        return fields.stream().map(FieldSpec::name).toArray(String[]::new);
    }
}
