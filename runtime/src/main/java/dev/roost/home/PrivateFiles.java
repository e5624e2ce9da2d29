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
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Files in a home: for their user only, and never through a planted symlink. */
public final class PrivateFiles {

    static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");

    static final FileAttribute<Set<PosixFilePermission>> OWN = PosixFilePermissions.asFileAttribute(FILE);

    private static final int MOST_READ = 64 << 20;

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

    /** Writes a new file and waits until the disk has it. */
    public static void writeDurably(Path file, byte[] content) throws IOException {
        write(file, content, true);
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

    /** Waits until the disk has what a directory lists. */
    static void sync(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The whole of a small file, or empty if there is none; a directory or a pipe in its place is none. */
    public static Optional<String> read(Path file) throws IOException {
        if (!exists(file)) return Optional.empty();
        try (var channel = open(file, StandardOpenOption.READ)) {
            if (channel.size() > MOST_READ) throw new IOException(file + " is far longer than anything written there");
            return Optional.of(text(channel, 0, channel.size()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** The last {@code most} bytes as text; nothing if there is no such file. */
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
            // until full, or the file is shorter than it was
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    }

    /** Gives the user these permissions on a file or directory, if it is there and lacks one; a symlink is left alone. */
    static void allow(Path file, Set<PosixFilePermission> own) throws IOException {
        if (!file.toFile().exists()) return; // asked like that, most absences need no exception for an answer
        PosixFileAttributes is;
        try {
            is = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return;
        }
        if (!is.isRegularFile() && !is.isDirectory()) return;
        var had = is.permissions();
        if (had.containsAll(own)) return;
        had.addAll(own);
        Files.setPosixFilePermissions(file, had);
    }

    public static boolean exists(Path file) {
        return file.toFile().isFile() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    public static long size(Path file) throws IOException {
        if (!file.toFile().isFile()) return 0;
        try {
            var is = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return is.isRegularFile() ? is.size() : 0;
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
