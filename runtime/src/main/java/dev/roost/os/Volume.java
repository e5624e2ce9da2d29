package dev.roost.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The filesystem of a directory. In a chroot its mount may be invisible: then only the free space is known. */
public record Volume(Path directory) {

    public String type() {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** The free space in bytes. */
    public long free() throws IOException {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            long free = directory.toFile().getUsableSpace(); // by path; returns 0 if the path does not exist
            if (free == 0) throw e;
            return free;
        }
    }
}
