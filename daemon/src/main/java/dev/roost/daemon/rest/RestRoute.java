package dev.roost.daemon.rest;

import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.Operation;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A method, a path in which {@code {word}} stands for a value, and the request's further fields. */
record RestRoute(String method, String path, List<FieldSpec> fields, RouteHandler handler) {

    /** Answers a request. */
    interface RouteHandler {
        void serve(RestRequest call) throws IOException, InterruptedException;
    }

    /** Computes the answer to a request. */
    interface ReplyHandler {
        ApiReply answer(RestRequest call);
    }

    /** The route of an operation. Its fields are those that are not in the path. */
    static RestRoute of(String method, String path, Operation operation) {
        return of(method, path, operation.fields(), call -> operation.answer(call.fields(), call.caller()));
    }

    static RestRoute of(String method, String path, List<FieldSpec> fields, ReplyHandler handler) {
        var further = fields.stream()
                .filter(field -> !path.contains("{%s}".formatted(field.name())))
                .toList();
        return new RestRoute(method, path, further, call -> call.answer(200, handler.answer(call)));
    }

    /** The values of the placeholders in a path; empty if the path belongs to another route. */
    Optional<Map<String, String>> values(List<String> parts) {
        var wanted = List.of(path.substring(1).split("/", -1));
        if (wanted.size() != parts.size()) return Optional.empty();
        var values = new LinkedHashMap<String, String>();
        for (int i = 0; i < parts.size(); i++) {
            var name = wanted.get(i);
            if (name.startsWith("{") && !parts.get(i).isEmpty())
                values.put(name.substring(1, name.length() - 1), decoded(parts.get(i)));
            else if (!name.equals(parts.get(i))) return Optional.empty();
        }
        return Optional.of(values);
    }

    /** Decodes a part of a path. Unlike in a query, a plus sign is not a space. */
    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
