package dev.roost.daemon.http;

import dev.roost.daemon.calls.Call;
import dev.roost.daemon.calls.Field;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.run.BadInput;
import dev.roost.run.Owner;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** One request to the API: by whom, and with which fields, those of its path included. */
record ApiCall(Visit visit, Bearer bearer, Caller caller, ObjectNode fields) {

    /** Who has the home's token and says nothing else sees everything; no run is his, and he is not known to be a person. */
    private static final Owner OPERATOR = new Owner("http:operator");

    static ApiCall of(Visit visit, Bearer bearer, ApiRoute route, Map<String, String> inPath) throws IOException {
        var fields = route.method().equals("POST") ? body(visit) : query(visit, route.fields());
        Params.of(fields, Call.names(route.fields()));
        inPath.forEach(fields::put);
        return new ApiCall(visit, bearer, caller(visit, bearer), fields);
    }

    private static Caller caller(Visit visit, Bearer bearer) {
        return bearer.named(visit).map(owner -> new Caller(owner, false)).orElseGet(() -> new Caller(OPERATOR, true));
    }

    private static ObjectNode query(Visit visit, List<Field> known) {
        var fields = Json.MAPPER.createObjectNode();
        visit.queries()
                .forEach((name, value) -> known.stream()
                        .filter(field -> field.name().equals(name))
                        .findFirst()
                        .orElse(Field.text(name)) // refused by name
                        .put(fields, value));
        return fields;
    }

    private static ObjectNode body(Visit visit) throws IOException {
        if (!visit.queries().isEmpty())
            throw new BadInput("query_not_taken", "This takes no fields in its address.", "Send them in the body.");
        var bytes = visit.body();
        if (bytes.length == 0) return Json.MAPPER.createObjectNode();
        var type = visit.header("Content-Type").orElse("application/json");
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new Rejected(
                    415,
                    new BadInput(
                            "bad_content_type", "The body is not JSON by its Content-Type.", "Send application/json."));
        }
        try {
            if (Json.MAPPER.readTree(bytes) instanceof ObjectNode object) return object;
        } catch (JacksonException e) {
            // said below
        }
        throw new BadInput("bad_json", "The body is not a JSON object.", "Send one, in UTF-8.");
    }

    /** The fields, of which {@link #of} has refused the unknown. */
    Params params() {
        return Params.of(fields, fields.propertyNames().toArray(String[]::new));
    }

    Optional<Bearer.Holder> holder() {
        return bearer instanceof Bearer.Holder holder ? Optional.of(holder) : Optional.empty();
    }

    boolean wantsEvents() {
        return String.join(",", visit.headers("Accept")).contains("text/event-stream");
    }

    /** From where on a reader that was here before goes on. */
    Optional<Long> lastEventId() {
        var fields = Json.MAPPER.createObjectNode();
        visit.header("Last-Event-ID")
                .ifPresent(id -> Field.number("Last-Event-ID").put(fields, id));
        return Params.of(fields, "Last-Event-ID").number("Last-Event-ID");
    }

    void answer(int status, Reply reply) throws IOException {
        holder().ifPresent(holder -> new Inside(holder.scope()).rename(reply.json()));
        visit.answer(status, reply.json(), visit.isHead() ? () -> {} : reply.afterwards());
    }
}
