package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** How far back a search looks, from when, and who is alive then. */
record ScanWindow(Instant now, Instant since, LiveProcesses liveProcesses) {

    /** Who said something this recently may be about to say more. */
    private static final Duration JUST_NOW = Duration.ofMinutes(1);

    /** Whether a file was written to since; who has not been is not worth reading. */
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

    /** The same, or not lost at all if there was a sign of life a moment ago. */
    LostAgent unlessRecent(LostAgent agent) {
        boolean old = agent.lastSign().plus(JUST_NOW).isBefore(now);
        return old || agent.state() == LostAgent.State.AT_WORK
                ? agent
                : agent.atWork("it said something less than a minute ago");
    }
}
