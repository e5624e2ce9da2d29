package dev.roost.conformance.agents;

import dev.roost.conformance.model.ScriptedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A fresh home in which a CLI knows only the scripted model, and an empty project. */
public record AgentCliHome(Path path, Path project, Map<String, String> environment) {

    public static AgentCliHome fresh(AgentCli agentCli, Path directory, ScriptedModel model) throws IOException {
        var project = Files.createDirectories(directory.resolve("project"));
        for (var file : agentCli.files(model.address()).entrySet()) {
            var path = directory.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        var environment = new TreeMap<>(agentCli.environment(directory, model.address()));
        environment.put("HOME", directory.toString());
        environment.put("PATH", System.getenv("PATH"));
        environment.put("LANG", "C.UTF-8");
        environment.put("SHELL", "/bin/bash");
        return new AgentCliHome(directory, project, environment);
    }

    /** A process in this home, without the environment of this JVM. */
    public ProcessBuilder process(List<String> command) {
        var builder = new ProcessBuilder(command).directory(project.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder;
    }
}
