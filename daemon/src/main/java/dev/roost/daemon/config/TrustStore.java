package dev.roost.daemon.config;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.home.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The file {@code trusted} in the home: one line for each content of a project file that the user trusts. */
final class TrustStore {

    private static final Pattern LINE = Pattern.compile("([0-9a-f]{64}) (\\S+) (/.*)");
    private static final int MOST_BYTES = 16 << 20;

    record TrustEntry(String sha256, Instant at, Path file) {}

    private final Path list;

    TrustStore(Path home) {
        this.list = home.resolve("trusted");
    }

    synchronized List<TrustEntry> entries() {
        try {
            return PrivateFiles.tail(list, MOST_BYTES)
                    .lines()
                    .flatMap(line -> entry(line).stream())
                    .toList();
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** Parses a line; a malformed line grants no trust. */
    private static Optional<TrustEntry> entry(String text) {
        var line = LINE.matcher(text);
        if (!line.matches()) return Optional.empty();
        try {
            return Optional.of(new TrustEntry(line.group(1), Instant.parse(line.group(2)), Path.of(line.group(3))));
        } catch (DateTimeParseException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    boolean covers(ProjectFile file) {
        return entries().stream()
                .anyMatch(entry -> entry.sha256.equals(file.sha256()) && entry.file.equals(file.path()));
    }

    synchronized void add(ProjectFile file, Instant at) {
        var entries = new ArrayList<>(entries());
        entries.add(new TrustEntry(file.sha256(), at, file.path()));
        write(entries);
    }

    /** Removes all entries of the matching files, and returns their number. */
    synchronized int revoke(Predicate<Path> which) {
        var entries = new ArrayList<>(entries());
        int before = entries.size();
        entries.removeIf(entry -> which.test(entry.file));
        if (entries.size() < before) write(entries);
        return before - entries.size();
    }

    private void write(List<TrustEntry> entries) {
        var text = new StringBuilder();
        entries.forEach(entry -> text.append(entry.sha256)
                .append(' ')
                .append(entry.at)
                .append(' ')
                .append(entry.file)
                .append('\n'));
        var next = list.resolveSibling("trusted.new");
        try {
            Files.deleteIfExists(next);
            try (var channel = PrivateFiles.open(next, StandardOpenOption.CREATE_NEW)) {
                var bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) channel.write(bytes);
                channel.force(true);
            }
            Files.move(next, list, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    private RoostError unusable(IOException e) {
        return ErrorCode.HOME_UNWRITABLE.error(
                "%s cannot be used: %s.".formatted(list, e.getMessage()), "Check the home; nothing was changed.");
    }
}
