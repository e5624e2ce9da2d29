package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.house.KnownAgent;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;

/** Which agents there are where the caller is, on the caller's own PATH. */
public record AgentCalls(House house) {

    public Call agents() {
        return Call.of((params, _) -> agents(params), Field.text("cwd"), Field.text("path"));
    }

    private Reply agents(Params params) {
        var cwd = params.path("cwd");
        var environment = params.text("path").map(path -> Map.of("PATH", path)).orElse(Map.of());
        var json = Json.MAPPER.createObjectNode();
        var list = json.putArray("agents");
        var usual = house.agents(cwd).usual();
        for (var agent : house.agents(cwd).survey(environment)) put(list, agent, usual);
        house.agents(cwd).project().untrusted().ifPresent(file -> {
            var untrusted = json.putObject("untrusted").put("file", file.file().toString());
            file.agents().forEach(untrusted.putArray("agents")::add);
        });
        return new Reply(json);
    }

    private static void put(ArrayNode list, KnownAgent agent, String usual) {
        var profile = agent.profile();
        var json = list.addObject();
        json.put("agent", profile.name())
                .put("driver", profile.driver())
                .put("source", agent.source().name().toLowerCase(Locale.ROOT));
        if (profile.name().equals(usual)) json.put("default", true);
        json.put("installed", agent.program().isPresent());
        agent.program().ifPresent(path -> json.put("path", path.toString()));
        agent.version().ifPresent(version -> json.put("version", version));
        profile.model().ifPresent(model -> json.put("model", model));
        json.put("permissions", profile.permissions().word());
        json.putObject("can")
                .put("resume", agent.abilities().resume())
                .put("steer", agent.abilities().steer())
                .put("cost", agent.abilities().cost())
                .put("ask", agent.abilities().asks());
        if (agent.program().isEmpty()) json.put("install", agent.howToInstall());
    }
}
