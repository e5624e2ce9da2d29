package dev.roost.daemon.api;

import dev.roost.engine.AgentAvailability;
import dev.roost.service.RoostService;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;

/** Lists the agents in a directory, with the programs on the caller's own PATH. */
public record AgentOperations(RoostService service) {

    public Operation agents() {
        return Operation.of(
                (requestFields, _) -> agents(requestFields),
                FieldSpec.Kind.TEXT.named("cwd"),
                FieldSpec.Kind.TEXT.named("path"));
    }

    private ApiReply agents(RequestFields requestFields) {
        var cwd = requestFields.path("cwd");
        var environment =
                requestFields.text("path").map(path -> Map.of("PATH", path)).orElse(Map.of());
        var json = RunJson.MAPPER.createObjectNode();
        var list = json.putArray("agents");
        var defaultAgent = service.agents(cwd).usual();
        for (var agent : service.agents(cwd).survey(environment)) put(list, agent, defaultAgent);
        service.agents(cwd).project().untrusted().ifPresent(file -> {
            var untrusted = json.putObject("untrusted").put("file", file.file().toString());
            file.agents().forEach(untrusted.putArray("agents")::add);
        });
        return new ApiReply(json);
    }

    private static void put(ArrayNode list, AgentAvailability agent, String defaultAgent) {
        var profile = agent.profile();
        var json = list.addObject();
        json.put("agent", profile.name())
                .put("driver", profile.driver())
                .put("source", agent.source().name().toLowerCase(Locale.ROOT));
        if (profile.name().equals(defaultAgent)) json.put("default", true);
        json.put("installed", agent.program().isPresent());
        agent.program().ifPresent(path -> json.put("path", path.toString()));
        agent.version().ifPresent(version -> json.put("version", version));
        profile.model().ifPresent(model -> json.put("model", model));
        json.put("permissions", profile.permissions().word());
        json.putObject("can")
                .put("resume", agent.capabilities().resume())
                .put("steer", agent.capabilities().steer())
                .put("cost", agent.capabilities().cost())
                .put("ask", agent.capabilities().asks());
        if (agent.program().isEmpty()) json.put("install", agent.howToInstall());
    }
}
