package dev.roost.engine;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Capabilities;
import java.nio.file.Path;
import java.util.Optional;

/** A known agent, and whether its program is installed. */
public record AgentAvailability(
        AgentProfile profile,
        Source source,
        Capabilities capabilities,
        Optional<Path> program,
        Optional<String> version,
        String howToInstall) {

    /** Where the agent is defined. */
    public enum Source {
        BUILT_IN,
        CONFIG,
        PROJECT
    }
}
