package dev.roost.node;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;

/**
 * The time at which this node last renewed its lease, in hundredths of a second since the machine booted. The guard counts
 * from this time, so that a daemon in a crash loop, which never renews the lease, does not hold the guard off.
 */
public record LeaseSeenFile(Home home) {

    private static final System.Logger LOG = System.getLogger(LeaseSeenFile.class.getName());

    /** Writes a value of fixed length with one write, so that a reader never sees half of it. */
    public void write(long at) {
        if (at < 0) return;
        try (var channel = PrivateFiles.open(home.leaseSeenFile(), StandardOpenOption.CREATE)) {
            channel.write(ByteBuffer.wrap("%012d\n".formatted(at).getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the lease time for the guard could not be written: {0}",
                    e.getMessage());
        }
    }

    /** The time since boot; negative if it cannot be read, which must not prevent the renewal of the lease. */
    public static long now() {
        try {
            return Kernel.here().hundredthsSinceBoot();
        } catch (IOException e) {
            return -1;
        }
    }
}
