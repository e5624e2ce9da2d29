package dev.roost.node;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Either a daemon is there, or a guard ends its agents. The kernel lets go of the lock when its holder dies. */
record NodeGuardLock(FileChannel channel) implements AutoCloseable {

    static Optional<NodeGuardLock> take(Home home) throws IOException {
        var channel = PrivateFiles.open(home.guardLock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return Optional.of(new NodeGuardLock(channel));
        } catch (OverlappingFileLockException e) {
            // held by this very process
        }
        channel.close();
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
