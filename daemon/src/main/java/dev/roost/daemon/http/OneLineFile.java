package dev.roost.daemon.http;

import dev.roost.home.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A private file of one line in the home. */
public record OneLineFile(Path file) {

    private static final int MOST_BYTES = 4096;

    /** The line; empty if there is no file. */
    public String read() throws IOException {
        return PrivateFiles.tail(file, MOST_BYTES).strip();
    }

    public void write(String line) throws IOException {
        var next = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(next);
        try (var channel = PrivateFiles.open(next, StandardOpenOption.CREATE_NEW)) {
            var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
