package dev.roost.home;

import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/** {@code alive} in the home: the boot id and time of the daemon's last heartbeat. The file's time is set without a sync. */
public final class Heartbeat {

    /** The boot id and time of one heartbeat. */
    public record Beat(String bootId, Instant at) {}

    private final Path file;

    public Heartbeat(Home home) {
        this.file = home.root().resolve("alive");
    }

    /** The last heartbeat of the previous daemon. */
    public Optional<Beat> last() throws IOException {
        var boot = PrivateFiles.read(file).map(String::strip).filter(text -> !text.isEmpty());
        if (boot.isEmpty()) return Optional.empty();
        return Optional.of(new Beat(boot.get(), Files.getLastModifiedTime(file).toInstant()));
    }

    /** Writes the boot id of this machine and the first heartbeat of this daemon. */
    public void begin(Instant now) throws IOException {
        PrivateFiles.writeDurably(file, Processes.bootId().getBytes(StandardCharsets.UTF_8));
        beat(now);
    }

    public void beat(Instant now) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(now));
    }
}
