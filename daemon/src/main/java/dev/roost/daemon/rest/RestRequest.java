package dev.roost.daemon.rest;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.PathMap;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.WebRequest;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One request to the API: its principal, its caller and its fields, including those of its path. */
record RestRequest(WebRequest request, Principal principal, Caller caller, ObjectNode fields) {

    /** The caller with the home's token and without an owner: it sees all runs, owns none, and is not known to be a person. */
    private static final Owner OPERATOR = new Owner("http:operator");

    static RestRequest of(WebRequest request, Principal principal, RestRoute route, Map<String, String> inPath)
            throws IOException {
        var fields = route.method().equals("POST") ? body(request) : query(request, route.fields());
        RequestFields.of(fields, FieldSpec.names(route.fields()));
        inPath.forEach(fields::put);
        return new RestRequest(request, principal, caller(request, principal), fields);
    }

    private static Caller caller(WebRequest request, Principal principal) {
        return principal
                .requestedOwner(request)
                .map(owner -> new Caller(owner, false))
                .orElseGet(() -> new Caller(OPERATOR, true));
    }

    private static ObjectNode query(WebRequest request, List<FieldSpec> known) {
        var fields = RunJson.MAPPER.createObjectNode();
        request.queries()
                .forEach((name, value) -> known.stream()
                        .filter(field -> field.name().equals(name))
                        .findFirst()
                        .orElse(FieldSpec.Kind.TEXT.named(name)) // an unknown field; refused by name later
                        .put(fields, value));
        return fields;
    }

    private static ObjectNode body(WebRequest request) throws IOException {
        if (!request.queries().isEmpty())
            throw ErrorCode.QUERY_NOT_TAKEN.error("A POST takes no fields in its address.");
        var bytes = request.body();
        if (bytes.length == 0) return RunJson.MAPPER.createObjectNode();
        var type = request.header("Content-Type").orElse("application/json");
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw ErrorCode.BAD_CONTENT_TYPE.error("The body is not JSON by its Content-Type.");
        }
        return WebRequest.object(bytes);
    }

    /** The fields; {@link #of} has refused unknown ones. */
    RequestFields params() {
        return RequestFields.checked(fields);
    }

    /** Whether the sender has the home's own token, which covers all owners and directories. */
    boolean byOperator() {
        return principal.scope().isEmpty();
    }

    /** The number after which a reconnecting reader continues. */
    Optional<Long> lastEventId() {
        var fields = RunJson.MAPPER.createObjectNode();
        request.header("Last-Event-ID")
                .ifPresent(id -> FieldSpec.Kind.NUMBER.named("Last-Event-ID").put(fields, id));
        return RequestFields.checked(fields).number("Last-Event-ID");
    }

    void answer(int status, ApiReply reply) throws IOException {
        translatePaths(reply.json());
        request.answer(status, reply.json(), request.isHead() ? () -> {} : reply.onDelivered());
    }

    /** Replaces the directories in an answer by those inside the container of the token's holder. */
    void translatePaths(JsonNode answer) {
        principal.scope().ifPresent(scope -> new PathMap(scope.paths()).translate(answer));
    }
}
