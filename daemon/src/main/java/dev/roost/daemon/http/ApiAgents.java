package dev.roost.daemon.http;

import dev.roost.daemon.calls.AgentCalls;
import dev.roost.daemon.calls.Field;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.mcp.ToolAgents;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.run.BadInput;
import dev.roost.run.Refused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;

/** Which agents can be started: in a directory, or by a token. */
record ApiAgents(House house, ToolAgents tools) implements ApiRoute.Answering {

    static final List<Field> FIELDS = List.of(Field.text("cwd"));

    @Override
    public Reply answer(ApiCall call) {
        var holder = call.holder();
        var client = new TokenClient(house, call.bearer(), call.caller().owner(), call.visit(), false);
        var cwd = holder.map(one -> one.scope().directory()).orElseGet(() -> wanted(call));
        if (holder.isPresent() && call.fields().has("cwd"))
            throw new Refused("operator_only", "A token has its own directory.", "Omit cwd.");
        var fields = Json.MAPPER.createObjectNode().put("cwd", cwd.toString());
        Optional.ofNullable(client.environment().get("PATH")).ifPresent(path -> fields.put("path", path));
        var reply = new AgentCalls(house).agents().answer(fields, call.caller());
        if (holder.isPresent() && reply.json().path("agents") instanceof ArrayNode agents)
            agents.removeIf(agent -> !tools.may(agent.path("agent").asString(), client));
        return reply;
    }

    private static Path wanted(ApiCall call) {
        if (!call.fields().has("cwd")) return Path.of(System.getProperty("user.home"));
        var cwd = call.params().path("cwd");
        if (cwd.isAbsolute() && Files.isDirectory(cwd)) return cwd;
        throw new BadInput(
                "no_such_directory",
                "The field cwd names no directory here.",
                "Pass an existing directory, as an absolute path.");
    }
}
