package dev.roost.agents.acp;

import dev.roost.agents.JsonLines;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A choice that a session offers its client: in its own field (the older form) or among the config options. */
record AcpOption(String method, String configId, String field, String currentValue, List<String> values) {

    static Optional<AcpOption> mode(JsonNode session) {
        return inField(session.path("modes"), "session/set_mode", "Mode", "id").or(() -> option(session, "mode"));
    }

    static Optional<AcpOption> model(JsonNode session) {
        return option(session, "model")
                .or(() -> inField(session.path("models"), "session/set_model", "Model", "modelId"));
    }

    private static Optional<AcpOption> inField(JsonNode offered, String method, String what, String id) {
        var values = values(offered.path("available" + what + "s"), id);
        if (values.isEmpty()) return Optional.empty();
        var field = what.toLowerCase(Locale.ROOT) + "Id";
        return Optional.of(new AcpOption(
                method, "", field, offered.path("current" + what + "Id").asString(""), values));
    }

    private static Optional<AcpOption> option(JsonNode session, String category) {
        return session.path("configOptions")
                .valueStream()
                .filter(option -> option.path("category").asString("").equals(category))
                .findFirst()
                .map(option -> new AcpOption(
                        "session/set_config_option",
                        option.path("id").asString(""),
                        "value",
                        option.path("currentValue").asString(""),
                        values(option.path("options"), "value")));
    }

    private static List<String> values(JsonNode list, String id) {
        return list.valueStream().map(one -> one.path(id).asString("")).toList();
    }

    /** The first of {@code wanted} that the session offers. */
    Optional<String> first(List<String> wanted) {
        return wanted.stream().filter(values::contains).findFirst();
    }

    ObjectNode choose(String value) {
        var params = JsonLines.object();
        if (!configId.isEmpty()) params.put("configId", configId);
        return params.put(field, value);
    }
}
