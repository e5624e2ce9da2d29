package dev.roost.node;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** A lock that excludes a running daemon and a guard that kills agents. The kernel releases it when its holder dies. */
record NodeGuardLock(FileChannel channel) implements AutoCloseable {

    static Optional<NodeGuardLock> take(Home home) throws IOException {
        var channel = PrivateFiles.open(home.guardLock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) return Optional.of(new NodeGuardLock(channel));
        } catch (OverlappingFileLockException e) {
            // this process holds it
        }
        channel.close();
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
