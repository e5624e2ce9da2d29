package dev.roost.conformance.agents;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A real agent CLI: its packages, how to start it, and the settings that connect it only to the scripted model. */
public interface AgentCli {

    String name();

    /** Exact npm packages, the CLI first. */
    List<String> packages();

    /** The command of the installed CLI; its native program if it has one. */
    List<String> command(Path prefix);

    Map<String, String> environment(Path home, String model);

    /** The files of a fresh home, by path. */
    default Map<String, String> files(String model) {
        return Map.of();
    }
}
