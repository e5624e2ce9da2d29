package dev.roost.agents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How to start an attempt. The prompt never travels as an argument: others can read those, and long ones fail.
 * {@code environment} is added to the caller's.
 */
public record LaunchCommand(List<String> argv, Map<String, String> environment, AgentStdin input) {

    /** The profile's program or the driver's own, then {@code words}, then what the profile adds. */
    public static List<String> words(Driver driver, AgentProfile profile, List<String> words) {
        var argv = new ArrayList<>(profile.command().isEmpty() ? driver.program() : profile.command());
        argv.addAll(words);
        argv.addAll(profile.args());
        return List.copyOf(argv);
    }

    public sealed interface AgentStdin {

        /** Standard input is empty. */
        record Empty() implements AgentStdin {}

        /** Standard input is this, and then ends. */
        record Text(String text) implements AgentStdin {}

        /** A pipe that stays open, for who wants to tell the agent more; {@code first} goes in at once. */
        record Pipe(String first) implements AgentStdin {}
    }
}
