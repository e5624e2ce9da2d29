package dev.roost.daemon.rest;

import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.Operation;
import java.io.IOException;
import java.util.List;

/** What one method does at one path, in which {@code {word}} stands for a value; and what it takes besides. */
record RestRoute(String method, String path, List<FieldSpec> fields, RouteHandler handler) {

    /** Answers a request. */
    interface RouteHandler {
        void serve(RestRequest call) throws IOException, InterruptedException;
    }

    /** Has an answer. */
    interface ReplyHandler {
        ApiReply answer(RestRequest call) throws IOException, InterruptedException;
    }

    /** A call that the socket has, too, as far as its fields are not in the path; without those that are {@code left}. */
    static RestRoute of(String method, String path, Operation operation, String... left) {
        var fields = operation.fields().stream()
                .filter(field -> !path.contains("{%s}".formatted(field.name())))
                .filter(field -> !List.of(left).contains(field.name()))
                .toList();
        return of(method, path, fields, one -> operation.answer(one.fields(), one.caller()));
    }

    static RestRoute of(String method, String path, List<FieldSpec> fields, ReplyHandler answering) {
        return new RestRoute(method, path, fields, call -> call.answer(200, answering.answer(call)));
    }

    List<String> parts() {
        return List.of(path.substring(1).split("/", -1));
    }
}
