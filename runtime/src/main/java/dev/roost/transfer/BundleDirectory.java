package dev.roost.transfer;

import dev.roost.git.SafeMove;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/** A private temporary directory for the entries of a bundle while it is packed or read. The file names are numbers. */
final class BundleDirectory implements AutoCloseable {

    static final String PREFIX = "luggage-";

    private static final int STEP = 1 << 16;

    private final Path folder;
    private int entries;

    private BundleDirectory(Path folder) {
        this.folder = folder;
    }

    static BundleDirectory under(Path scratch) throws IOException {
        Files.createDirectories(scratch);
        return new BundleDirectory(Files.createTempDirectory(scratch, PREFIX));
    }

    Path folder() {
        return folder;
    }

    /** The path for the next entry. */
    Path nextPath() {
        return folder.resolve(Integer.toString(++entries));
    }

    /** Opens a regular file; throws for a symlink, a pipe or a directory. */
    static FileChannel open(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
            throw new IOException(file + " is not a regular file");
        return FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    }

    /** Copies a file of lines, which a process may be appending to, up to its last complete line. */
    BundleEntry lines(String name, Path file) throws IOException {
        try (var channel = open(file)) {
            return receive(name, Channels.newInputStream(channel), completeLines(channel));
        }
    }

    BundleEntry whole(String name, Path file) throws IOException {
        try (var channel = open(file)) {
            return receive(name, Channels.newInputStream(channel), channel.size());
        }
    }

    /** Copies exactly {@code bytes} bytes; throws if there are fewer. */
    BundleEntry receive(String name, InputStream from, long bytes) throws IOException {
        var file = nextPath();
        var digest = sha256();
        try (var out = new DigestOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW), digest)) {
            copy(from, out, bytes);
        }
        return new BundleEntry(name, file, bytes, HexFormat.of().formatHex(digest.digest()));
    }

    private static void copy(InputStream from, OutputStream to, long bytes) throws IOException {
        var chunk = new byte[1 << 16];
        for (long left = bytes; left > 0; ) {
            int n = from.read(chunk, 0, (int) Math.min(chunk.length, left));
            if (n < 0) throw new java.io.EOFException("the data ends %,d bytes too early".formatted(left));
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
        SafeMove.delete(folder);
    }

    /** The position after the last newline of a file that is being written. */
    private static long completeLines(FileChannel file) throws IOException {
        for (long to = file.size(); to > 0; ) {
            long from = Math.max(0, to - STEP);
            var bytes = ByteBuffer.allocate((int) (to - from));
            while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
                // until the buffer is full, or the file has become shorter
            }
            for (int i = bytes.position() - 1; i >= 0; i--) if (bytes.get(i) == '\n') return from + i + 1;
            to = from;
        }
        return 0;
    }
}
