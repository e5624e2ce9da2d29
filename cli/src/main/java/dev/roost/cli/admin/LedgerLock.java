package dev.roost.cli.admin;

import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/** The home's exclusive lock: while it is held, no daemon, which any command may start, opens the ledger. */
record LedgerLock(FileChannel channel) implements AutoCloseable {

    private static final int MAX_TRIES = 100;

    /** Stops the daemon that holds the lock, repeatedly if other commands start new ones. */
    static LedgerLock take(Path home, DaemonClient client) throws IOException {
        var channel = FileChannel.open(
                home.resolve("daemon.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        for (int i = 0; i < MAX_TRIES; i++) {
            DaemonCommand.stop(client);
            if (channel.tryLock() != null) return new LedgerLock(channel);
            LockSupport.parkNanos(100_000_000); // the holder is starting or stopping
        }
        channel.close();
        throw new IOException("a daemon holds the home's lock and does not release it");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
