package dev.roost.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A private folder in which pieces lie while they are packed or looked at. Their names in it are numbers of ours. */
final class BundleDirectory implements AutoCloseable {

    static final String NAMES = "luggage-";

    private final Path folder;
    private int pieces;

    private BundleDirectory(Path folder) {
        this.folder = folder;
    }

    static BundleDirectory under(Path scratch) throws IOException {
        Files.createDirectories(scratch);
        return new BundleDirectory(Files.createTempDirectory(scratch, NAMES));
    }

    Path folder() {
        return folder;
    }

    /** A place for the next one. */
    Path nextPath() {
        return folder.resolve(Integer.toString(++pieces));
    }

    /** Opens a file that must be one: a link, a pipe or a directory in its place is refused. */
    static FileChannel open(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) throw new IOException(file + " is no regular file");
        return FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /** A copy of a file of whole lines that somebody may be adding to: it ends with the last whole one. */
    BundleEntry lines(String name, Path file) throws IOException {
        try (var channel = open(file)) {
            return receive(name, Channels.newInputStream(channel), CompleteLines.end(channel));
        }
    }

    BundleEntry whole(String name, Path file) throws IOException {
        try (var channel = open(file)) {
            return receive(name, Channels.newInputStream(channel), channel.size());
        }
    }

    /** So many bytes of it, which must be there. */
    BundleEntry receive(String name, InputStream from, long bytes) throws IOException {
        var place = nextPath();
        var digest = sha256();
        try (var out = new DigestOutputStream(Files.newOutputStream(place, StandardOpenOption.CREATE_NEW), digest)) {
            copy(from, out, bytes);
        }
        return new BundleEntry(name, place, bytes, HexFormat.of().formatHex(digest.digest()));
    }

    private static void copy(InputStream from, OutputStream to, long bytes) throws IOException {
        var chunk = new byte[1 << 16];
        for (long left = bytes; left > 0; ) {
            int n = from.read(chunk, 0, (int) Math.min(chunk.length, left));
            if (n < 0) throw new java.io.EOFException("it ends %,d bytes too early".formatted(left));
            to.write(chunk, 0, n);
            left -= n;
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        delete(folder);
    }

    static void delete(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) return;
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
