package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One real agent CLI: what to install, how to start it, and what makes it talk to the scripted model and to nothing else. */
public interface AgentCli {

    String name();

    /** Exact npm packages, the CLI itself first. */
    List<String> packages();

    /** How to start what is installed there; a native program where there is one. */
    List<String> command(Path prefix);

    Map<String, String> environment(Path home, String model);

    /** What a fresh home must hold, by path in it. */
    default Map<String, String> files(String model) {
        return Map.of();
    }
}
