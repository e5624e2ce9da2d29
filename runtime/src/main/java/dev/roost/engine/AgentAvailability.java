package dev.roost.engine;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Capabilities;
import java.nio.file.Path;
import java.util.Optional;

/** An agent that can be asked for, and whether its program is there. */
public record AgentAvailability(
        AgentProfile profile,
        Source source,
        Capabilities capabilities,
        Optional<Path> program,
        Optional<String> version,
        String howToInstall) {

    /** Where it is defined. */
    public enum Source {
        BUILT_IN,
        CONFIG,
        PROJECT
    }
}
