package dev.roost.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where an agent works on one machine: the program it is, the variables it has, and its working directory. */
public record AgentLocation(List<String> program, Map<String, String> environment, Path cwd) {

    public AgentLocation {
        program = List.copyOf(program);
        environment = Map.copyOf(environment);
    }

    /** As the agent itself sees it: without links. What is not there yet has none. */
    Path realCwd() {
        var whole = cwd.toAbsolutePath().normalize();
        for (var there = whole; there != null; there = there.getParent()) {
            if (!Files.exists(there)) continue;
            try {
                return there.toRealPath().resolve(there.relativize(whole)).normalize();
            } catch (IOException e) {
                return whole;
            }
        }
        return whole;
    }
}
