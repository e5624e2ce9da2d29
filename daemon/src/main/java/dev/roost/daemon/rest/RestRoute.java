package dev.roost.daemon.rest;

import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.Operation;
import java.io.IOException;
import java.util.List;

/** A method, a path in which {@code {word}} stands for a value, and the request's further fields. */
record RestRoute(String method, String path, List<FieldSpec> fields, RouteHandler handler) {

    /** Answers a request. */
    interface RouteHandler {
        void serve(RestRequest call) throws IOException, InterruptedException;
    }

    /** Computes the answer to a request. */
    interface ReplyHandler {
        ApiReply answer(RestRequest call) throws IOException, InterruptedException;
    }

    /** A route for an operation of the socket. Its fields are those that are neither in the path nor {@code omitted}. */
    static RestRoute of(String method, String path, Operation operation, String... omitted) {
        var fields = operation.fields().stream()
                .filter(field -> !path.contains("{%s}".formatted(field.name())))
                .filter(field -> !List.of(omitted).contains(field.name()))
                .toList();
        return of(method, path, fields, call -> operation.answer(call.fields(), call.caller()));
    }

    static RestRoute of(String method, String path, List<FieldSpec> fields, ReplyHandler handler) {
        return new RestRoute(method, path, fields, call -> call.answer(200, handler.answer(call)));
    }

    List<String> parts() {
        return List.of(path.substring(1).split("/", -1));
    }
}
