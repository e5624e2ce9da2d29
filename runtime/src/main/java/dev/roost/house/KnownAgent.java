package dev.roost.house;

import dev.roost.agents.Abilities;
import dev.roost.agents.Profile;
import java.nio.file.Path;
import java.util.Optional;

/** An agent that can be asked for, and whether its program is there. */
public record KnownAgent(
        Profile profile,
        Source source,
        Abilities abilities,
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
