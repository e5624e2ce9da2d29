package dev.roost.cli.edit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A small text file of the user, written atomically, with backups beside it. */
public record TextFile(Path path) {

    private static final String BACKUP = ".roost-backup-";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    public Optional<String> read() throws IOException {
        return read(path);
    }

    private static Optional<String> read(Path file) throws IOException {
        if (!Files.exists(file)) return Optional.empty();
        if (!Files.isRegularFile(file)) throw NotEditable.because("is not a file");
        try {
            return Optional.of(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw NotEditable.because("is not UTF-8 text");
        }
    }

    /** The contents of its backups, newest first. */
    public List<String> backups() throws IOException {
        var texts = new java.util.ArrayList<String>();
        for (var file : backupFiles()) read(file).ifPresent(texts::add);
        return texts;
    }

    private List<Path> backupFiles() throws IOException {
        var directory = path.getParent();
        if (directory == null || !Files.isDirectory(directory)) return List.of();
        try (var all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().startsWith(path.getFileName() + BACKUP))
                    .filter(Files::isRegularFile)
                    .sorted(Comparator.<Path, String>comparing(
                                    file -> file.getFileName().toString())
                            .reversed())
                    .toList();
        }
    }

    /** Copies the file with its mode; returns an existing identical backup instead. */
    public Path backUp(Instant now) throws IOException {
        for (var file : backupFiles()) if (Files.mismatch(file, path) < 0) return file;
        String name = path.getFileName() + BACKUP + STAMP.format(now);
        var copy = path.resolveSibling(name);
        for (int i = 2; Files.exists(copy, LinkOption.NOFOLLOW_LINKS); i++) copy = path.resolveSibling(name + "-" + i);
        return Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** Replaces the target of a symbolic link and keeps the link. */
    public void write(String text) throws IOException {
        var target = target();
        Files.createDirectories(target.getParent());
        var temporary = Files.createTempFile(target.getParent(), "." + target.getFileName(), ".roost"); // mode 600
        try {
            if (Files.exists(target)) Files.setPosixFilePermissions(temporary, Files.getPosixFilePermissions(target));
            try (var channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) channel.write(bytes);
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Keeps a symbolic link to it, which belongs to the user. */
    public void remove() throws IOException {
        Files.deleteIfExists(target());
    }

    /** Also removes its directory if that is empty then. */
    public void removeWithDirectory() throws IOException {
        remove();
        try {
            Files.delete(path.resolveSibling("").normalize());
        } catch (DirectoryNotEmptyException e) {
            // other files need it
        }
    }

    private Path target() throws IOException {
        if (Files.exists(path)) return path.toRealPath();
        if (!Files.isSymbolicLink(path)) return path;
        return path.resolveSibling(Files.readSymbolicLink(path)).normalize();
    }
}
