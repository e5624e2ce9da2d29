package dev.roost.supervisor;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Either a daemon is there, or a guard ends its agents. The kernel lets go of the lock when its holder dies. */
record GuardLock(FileChannel channel) implements AutoCloseable {

    static Optional<GuardLock> take(Home home) throws IOException {
        var channel = PrivateFiles.open(home.guardLock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return Optional.of(new GuardLock(channel));
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
