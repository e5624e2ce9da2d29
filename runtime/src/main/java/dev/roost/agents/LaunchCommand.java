package dev.roost.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How to start an attempt. The prompt is never an argument: other users can read arguments, and long ones fail.
 * {@code environment} is added to the caller's.
 */
public record LaunchCommand(List<String> argv, Map<String, String> environment, AgentStdin input) {

    /** The profile's program or else the driver's, then {@code words}, then the profile's arguments. */
    public static List<String> words(Driver driver, AgentProfile profile, List<String> words) {
        var argv = new ArrayList<>(profile.command().isEmpty() ? driver.program() : profile.command());
        argv.addAll(words);
        argv.addAll(profile.args());
        return List.copyOf(argv);
    }

    public sealed interface AgentStdin {

        /** Standard input is empty. */
        record Empty() implements AgentStdin {}

        /** Standard input is this text, then ends. */
        record Text(String text) implements AgentStdin {}

        /** A pipe that stays open for later messages; {@code first} is written at once. */
        record Pipe(String first) implements AgentStdin {}
    }
}
