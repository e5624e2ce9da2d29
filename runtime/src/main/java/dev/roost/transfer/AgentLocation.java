package dev.roost.transfer;

import dev.roost.rescue.ToolDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** An agent's place on one machine: its program, its environment and its working directory. */
public record AgentLocation(List<String> program, Map<String, String> environment, Path cwd) {

    public AgentLocation {
        program = List.copyOf(program);
        environment = Map.copyOf(environment);
    }

    /** Where the agent's tool keeps its files. */
    ToolDirectories tools() {
        return ToolDirectories.of(environment);
    }

    /** The working directory without symlinks, as the agent sees it. A part that does not exist yet is kept as it is. */
    Path realCwd() {
        var path = cwd.toAbsolutePath().normalize();
        for (var existing = path; existing != null; existing = existing.getParent()) {
            if (!Files.exists(existing)) continue;
            try {
                return existing.toRealPath().resolve(existing.relativize(path)).normalize();
            } catch (IOException e) {
                return path;
            }
        }
        return path;
    }
}
