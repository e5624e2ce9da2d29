package dev.roost.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a directory is on. In a chroot its mount may be out of sight: then its kind is not known, but its room is. */
public record Volume(Path directory) {

    public String type() {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** In bytes. */
    public long free() throws IOException {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            long free = directory.toFile().getUsableSpace(); // asks by path, and says 0 where that leads nowhere
            if (free == 0) throw e;
            return free;
        }
    }
}
