package dev.roost.supervisor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * When the others of a cluster last heard of this node, in hundredths of a second since the machine booted: its guard counts
 * from there, so that a daemon that begins again and again, and never gets so far, does not hold the guard off.
 */
public record HeardFile(Home home) {

    private static final System.Logger LOG = System.getLogger(HeardFile.class.getName());
    private static final Path UPTIME = Path.of("/proc/uptime");

    /** Always of one length, so that nobody reads half of it. */
    public void write(long at) {
        try (var channel = PrivateFiles.open(home.heard(), StandardOpenOption.CREATE)) {
            channel.write(ByteBuffer.wrap("%012d\n".formatted(at).getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "what the guard goes by could not be written: {0}", e.getMessage());
        }
    }

    public static long now() {
        if (!Files.isReadable(UPTIME)) return 0; // no such thing here, and no guard that could read it
        try {
            var seconds = Files.readString(UPTIME).split(" ", 2)[0];
            return Long.parseLong(seconds.replace(".", ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
