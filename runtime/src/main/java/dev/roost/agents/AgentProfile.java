package dev.roost.agents;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * A named configuration of a driver. Each run stores its own, so all its attempts use the same. {@code command}
 * replaces the driver's usual program; {@code args} follow its arguments; {@code launcher} precedes the whole command
 * line (a sandbox, for example).
 */
public record AgentProfile(
        String name,
        String driver,
        List<String> command,
        Optional<String> model,
        List<String> args,
        Permissions permissions,
        Optional<String> systemPrompt,
        Map<String, String> environment,
        List<String> launcher) {

    public AgentProfile(
            String name,
            String driver,
            List<String> command,
            Optional<String> model,
            List<String> args,
            Permissions permissions,
            Optional<String> systemPrompt,
            Map<String, String> environment) {
        this(name, driver, command, model, args, permissions, systemPrompt, environment, List.of());
    }

    /** A copy with this launcher. */
    public AgentProfile withLauncher(List<String> launcher) {
        return new AgentProfile(name, driver, command, model, args, permissions, systemPrompt, environment, launcher);
    }

    private static final JsonMapper JSON = new JsonMapper();

    /** The default profile of a driver, with the driver's name. */
    public static AgentProfile plain(String driver) {
        return new AgentProfile(
                driver, driver, List.of(), Optional.empty(), List.of(), Permissions.SAFE, Optional.empty(), Map.of());
    }

    public String json() {
        var json = JSON.createObjectNode().put("name", name).put("driver", driver);
        var program = json.putArray("command");
        command.forEach(program::add);
        model.ifPresent(name -> json.put("model", name));
        var more = json.putArray("args");
        args.forEach(more::add);
        json.put("permissions", permissions.word());
        systemPrompt.ifPresent(text -> json.put("system_prompt", text));
        var variables = json.putObject("env");
        environment.forEach(variables::put);
        var before = json.putArray("launcher");
        launcher.forEach(before::add);
        return json.toString();
    }

    public static AgentProfile read(String text) {
        var json = JSON.readTree(text);
        var environment = new LinkedHashMap<String, String>();
        json.path("env")
                .properties()
                .forEach(one -> environment.put(one.getKey(), one.getValue().asString()));
        return new AgentProfile(
                json.path("name").asString(),
                json.path("driver").asString(),
                json.path("command").valueStream().map(word -> word.asString()).toList(),
                json.path("model").asStringOpt(),
                json.path("args").valueStream().map(word -> word.asString()).toList(),
                Permissions.of(json.path("permissions").asString("safe")),
                json.path("system_prompt").asStringOpt(),
                environment,
                json.path("launcher").valueStream().map(word -> word.asString()).toList());
    }
}
