package dev.roost.node;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;

/**
 * When the others of a cluster last heard of this node, in hundredths of a second since the machine booted: its guard counts
 * from there, so that a daemon that begins again and again, and never gets so far, does not hold the guard off.
 */
public record LeaseSeenFile(Home home) {

    private static final System.Logger LOG = System.getLogger(LeaseSeenFile.class.getName());

    /** Always of one length, so that nobody reads half of it. */
    public void write(long at) {
        if (at < 0) return;
        try (var channel = PrivateFiles.open(home.leaseSeenFile(), StandardOpenOption.CREATE)) {
            channel.write(ByteBuffer.wrap("%012d\n".formatted(at).getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "what the guard goes by could not be written: {0}", e.getMessage());
        }
    }

    /** Negative if that cannot be found out, which is no reason for the others not to hear of this node. */
    public static long now() {
        try {
            return Kernel.here().hundredthsSinceBoot();
        } catch (IOException e) {
            return -1;
        }
    }
}
