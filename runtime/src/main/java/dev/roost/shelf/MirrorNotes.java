package dev.roost.shelf;

import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.TreeMap;

/**
 * Which version of each file of a run was brought here. A file without a note was written by this node when it led the run,
 * and may hold words that never reached the shelf.
 */
final class MirrorNotes {

    private static final int LARGEST = 1 << 16;
    private final Path file;
    private final TreeMap<ShelfName, Long> versions = new TreeMap<>();

    MirrorNotes(Path run) throws IOException {
        this.file = run.resolve("mirrored");
        for (var line : PrivateFiles.tail(file, LARGEST).lines().toList()) {
            int space = line.indexOf(' ');
            if (space > 0)
                versions.put(new ShelfName(line.substring(space + 1)), Long.parseLong(line.substring(0, space)));
        }
    }

    /** 0 if there is no note. */
    long version(ShelfName name) {
        return versions.getOrDefault(name, 0L);
    }

    void note(ShelfName name, long version) throws IOException {
        versions.put(name, version);
        var lines = new StringBuilder();
        versions.forEach(
                (known, at) -> lines.append(at).append(' ').append(known).append('\n'));
        var fresh = file.resolveSibling("mirrored.tmp");
        try (var channel = PrivateFiles.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            var bytes = ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    static void forget(Path run) throws IOException {
        Files.deleteIfExists(run.resolve("mirrored"));
    }
}
