package dev.roost.home;

import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/** {@code alive} in the home: in which boot a daemon last looked after it, and when. Its time is touched, never synced. */
public final class Heartbeat {

    /** When a daemon was last seen, and in which boot of the machine. */
    public record Beat(String bootId, Instant at) {}

    private final Path file;

    public Heartbeat(Home home) {
        this.file = home.root().resolve("alive");
    }

    /** The last one of whoever was here before. */
    public Optional<Beat> last() throws IOException {
        var boot = PrivateFiles.read(file).map(String::strip).filter(text -> !text.isEmpty());
        if (boot.isEmpty()) return Optional.empty();
        return Optional.of(new Beat(boot.get(), Files.getLastModifiedTime(file).toInstant()));
    }

    /** From now on it is we who are here. */
    public void begin(Instant now) throws IOException {
        PrivateFiles.writeDurably(file, Processes.bootId().getBytes(StandardCharsets.UTF_8));
        beat(now);
    }

    public void beat(Instant now) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(now));
    }
}
