package dev.roost.cli.admin;

import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/** The home's lock, held by nobody else: so no daemon, which any other command may start at any time, opens the ledger meanwhile. */
record LedgerLock(FileChannel channel) implements AutoCloseable {

    private static final int MOST_TRIES = 100;

    /** Stops whichever daemon has it, as often as somebody starts another. */
    static LedgerLock take(Path home, DaemonClient client) throws IOException {
        var channel = FileChannel.open(
                home.resolve("daemon.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        for (int i = 0; i < MOST_TRIES; i++) {
            DaemonCommand.stop(client);
            if (channel.tryLock() != null) return new LedgerLock(channel);
            LockSupport.parkNanos(100_000_000); // one that is about to serve, or about to go
        }
        channel.close();
        throw new IOException("a daemon holds the home and does not let go");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
