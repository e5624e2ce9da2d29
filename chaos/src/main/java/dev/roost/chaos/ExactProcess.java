package dev.roost.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A process by pid and start time, so a signal never reaches a later process with the same pid. */
public record ExactProcess(long pid, long born) {

    /** Empty if there is no such process, or if it is a zombie. */
    public static Optional<ExactProcess> of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[0].equals("Z")
                    ? Optional.empty()
                    : Optional.of(new ExactProcess(pid, Long.parseLong(fields[19])));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    public boolean alive() {
        return of(pid).equals(Optional.of(this));
    }

    /** False if the process has ended. */
    public boolean signal(String name) {
        if (!alive()) return false;
        var kill = "kill -%s %d".formatted(name, pid); // not every machine has /bin/kill
        return Shell.status(new ProcessBuilder("sh", "-c", kill)) == 0;
    }

    /** Waits until the process has ended. */
    public boolean kill() {
        boolean hit = signal("KILL");
        BoundedWait.awaitCondition(this::hasEnded, 10_000);
        return hit;
    }

    private boolean hasEnded() {
        return !alive();
    }
}
