package dev.roost.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The evidence for the end of an attempt, so that a person needs no debugger. {@code active} is how long the attempt ran
 * while the machine was awake, {@code slept} how long the machine slept meanwhile; both are empty if no daemon measured them.
 */
public record Evidence(
        Optional<Exit> exit,
        Optional<ProcessId> agent,
        Optional<String> bootId,
        Optional<Instant> lastSignOfLife,
        Optional<Duration> active,
        Optional<Duration> slept,
        String stderrTail,
        List<String> leftovers,
        Optional<String> note) {

    public static Evidence none() {
        return new Evidence(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "",
                List.of(),
                Optional.empty());
    }

    public Evidence withNote(String note) {
        return new Evidence(
                exit, agent, bootId, lastSignOfLife, active, slept, stderrTail, leftovers, Optional.of(note));
    }

    public Evidence withExit(Exit exit) {
        return new Evidence(
                Optional.of(exit), agent, bootId, lastSignOfLife, active, slept, stderrTail, leftovers, note);
    }

    public Evidence withLeftovers(List<String> leftovers) {
        return new Evidence(exit, agent, bootId, lastSignOfLife, active, slept, stderrTail, leftovers, note);
    }
}
