package dev.roost.daemon.api;

import dev.roost.model.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An operation that any surface offers: its fields and its handler. */
public record Operation(List<FieldSpec> fields, OperationHandler handler) {

    /** Computes the answer for a caller. */
    public interface OperationHandler {
        ApiReply answer(RequestFields requestFields, Caller caller);
    }

    static Operation of(OperationHandler handler, FieldSpec... fields) {
        return new Operation(List.of(fields), handler);
    }

    public ApiReply answer(@Nullable JsonNode params, Caller caller) {
        return handler.answer(RequestFields.of(params, FieldSpec.names(fields)), caller);
    }
}
