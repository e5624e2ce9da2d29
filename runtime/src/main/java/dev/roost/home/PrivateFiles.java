package dev.roost.home;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Opens files in a home: readable by their user only, and never through a symlink. */
public final class PrivateFiles {

    static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");

    static final FileAttribute<Set<PosixFilePermission>> OWN = PosixFilePermissions.asFileAttribute(FILE);

    private static final int MAX_READ = 64 << 20;

    private PrivateFiles() {}

    static Set<OpenOption> options(OpenOption... options) {
        var all = new HashSet<>(Set.of(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        if (!all.contains(StandardOpenOption.READ)) all.add(StandardOpenOption.WRITE);
        return all;
    }

    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, options(options), OWN);
    }

    /** Writes a file and syncs it to disk. */
    public static void writeDurably(Path file, byte[] content) throws IOException {
        write(file, content, true);
    }

    /**
     * Replaces a file by one with this content, which is on disk before, by way of a temporary file beside it. A reader sees all
     * of the one or of the other.
     */
    public static void replace(Path file, String temporaryName, String content) throws IOException {
        var temporary = file.resolveSibling(temporaryName);
        Files.deleteIfExists(temporary);
        try {
            writeDurably(temporary, content.getBytes(StandardCharsets.UTF_8));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    static void write(Path file, byte[] content) throws IOException {
        write(file, content, false);
    }

    private static void write(Path file, byte[] content, boolean durably) throws IOException {
        try (var channel = open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            var bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) channel.write(bytes);
            if (durably) channel.force(true);
        }
    }

    /** Syncs the entries of a directory to disk. */
    static void sync(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The content of a small file; empty if there is no regular file at the path. */
    public static Optional<String> read(Path file) throws IOException {
        if (!exists(file)) return Optional.empty();
        try (var channel = open(file, StandardOpenOption.READ)) {
            if (channel.size() > MAX_READ) throw new IOException(file + " is longer than Roost ever writes it");
            return Optional.of(text(channel, 0, channel.size()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** The last {@code most} bytes as text; empty if there is no such file. */
    public static String tail(Path file, int most) throws IOException {
        if (!exists(file)) return "";
        try (var channel = open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            return text(channel, Math.max(0, size - most), size);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    private static String text(FileChannel channel, long from, long to) throws IOException {
        var bytes = ByteBuffer.allocate(Math.toIntExact(to - from));
        while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
            // until the buffer is full, or the file has become shorter
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    /** Gives the user these permissions on a file or directory, if it exists and lacks one; ignores a symlink. */
    static void allow(Path file, Set<PosixFilePermission> own) throws IOException {
        if (!file.toFile().exists()) return; // cheaper than an exception for a file that does not exist
        PosixFileAttributes attributes;
        try {
            attributes = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return;
        }
        if (!attributes.isRegularFile() && !attributes.isDirectory()) return;
        var permissions = attributes.permissions();
        if (permissions.containsAll(own)) return;
        permissions.addAll(own);
        Files.setPosixFilePermissions(file, permissions);
    }

    public static boolean exists(Path file) {
        return file.toFile().isFile() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    public static long size(Path file) throws IOException {
        if (!file.toFile().isFile()) return 0;
        try {
            var attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile() ? attributes.size() : 0;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
