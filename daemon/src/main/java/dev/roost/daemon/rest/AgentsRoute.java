package dev.roost.daemon.rest;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.daemon.api.AgentOperations;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.mcp.AllowedAgents;
import dev.roost.service.RoostService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;

/** Lists the agents that can be started: in a directory, or by a token. */
record AgentsRoute(RoostService service, AllowedAgents tools) implements RestRoute.ReplyHandler {

    static final List<FieldSpec> FIELDS = List.of(FieldSpec.text("cwd"));

    @Override
    public ApiReply answer(RestRequest call) {
        var holder = call.holder();
        var client = new TokenClient(service, call.principal(), call.caller().owner(), call.request(), false);
        var cwd = holder.map(one -> one.scope().directory()).orElseGet(() -> directory(call));
        if (holder.isPresent() && call.fields().has("cwd"))
            throw new Refusal("operator_only", "A token has its own directory.", "Omit cwd.");
        var fields = RunJson.MAPPER.createObjectNode().put("cwd", cwd.toString());
        Optional.ofNullable(client.environment().get("PATH")).ifPresent(path -> fields.put("path", path));
        var reply = new AgentOperations(service).agents().answer(fields, call.caller());
        if (holder.isPresent() && reply.json().path("agents") instanceof ArrayNode agents)
            agents.removeIf(agent -> !tools.may(agent.path("agent").asString(), client));
        return reply;
    }

    private static Path directory(RestRequest call) {
        if (!call.fields().has("cwd")) return Path.of(System.getProperty("user.home"));
        var cwd = call.params().path("cwd");
        if (cwd.isAbsolute() && Files.isDirectory(cwd)) return cwd;
        throw new BadInput(
                "no_such_directory",
                "The field cwd names no directory here.",
                "Pass an existing directory, as an absolute path.");
    }
}
