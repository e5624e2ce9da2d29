package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** The period that a search covers, and the processes that run at its end. */
record ScanWindow(Instant now, Instant since, LiveProcesses liveProcesses) {

    /** An agent with output this recent may still be working. */
    private static final Duration JUST_NOW = Duration.ofMinutes(1);

    /** Whether a file was modified in this period; other files need not be read. */
    boolean covers(Path file) {
        try {
            return !Files.getLastModifiedTime(file).toInstant().isBefore(since);
        } catch (IOException e) {
            return false;
        }
    }

    boolean covers(Instant at) {
        return !at.isBefore(since);
    }

    /** Marks the agent as at work if its last output is recent. */
    LostAgent unlessRecent(LostAgent agent) {
        boolean old = agent.lastSign().plus(JUST_NOW).isBefore(now);
        return old || agent.state() == LostAgent.State.AT_WORK
                ? agent
                : agent.atWork("it said something less than a minute ago");
    }
}
