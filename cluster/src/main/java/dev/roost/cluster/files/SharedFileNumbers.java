package dev.roost.cluster.files;

import dev.roost.home.PrivateFiles;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** A number for each of some files of a run, stored in one file that is replaced atomically. */
public final class SharedFileNumbers {

    private static final int MAX_BYTES = 1 << 16;

    private final Path file;
    private final TreeMap<SharedFileName, Long> numbers = new TreeMap<>();

    private SharedFileNumbers(Path file) throws IOException {
        this.file = file;
        for (var line : PrivateFiles.tail(file, MAX_BYTES).lines().toList()) {
            int space = line.indexOf(' ');
            numbers.put(new SharedFileName(line.substring(space + 1)), Long.parseLong(line.substring(0, space)));
        }
    }

    /**
     * The downloaded version of each file. A file without a number was written by this node when it owned the run, and may have
     * content that never reached the store.
     */
    public static SharedFileNumbers downloaded(Path run) throws IOException {
        return new SharedFileNumbers(run.resolve("brought"));
    }

    /** The length up to which the local file and the stored file are known to be equal, until the store has dropped the rest. */
    public static SharedFileNumbers confirmed(Path run) throws IOException {
        return new SharedFileNumbers(run.resolve("agreed"));
    }

    public OptionalLong get(SharedFileName name) {
        var number = numbers.get(name);
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }

    public void put(Map<SharedFileName, Long> changed) throws IOException {
        numbers.putAll(changed);
        var lines = new StringBuilder();
        numbers.forEach(
                (name, number) -> lines.append(number).append(' ').append(name).append('\n'));
        var fresh = file.resolveSibling(file.getFileName() + ".tmp");
        try (var channel = PrivateFiles.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            var bytes = ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    public void forget() throws IOException {
        numbers.clear();
        Files.deleteIfExists(file);
    }
}
