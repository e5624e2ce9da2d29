package dev.roost.home;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;

/** Allows one daemon for each home. The kernel releases the lock when the holder dies. */
public final class HomeLock implements AutoCloseable {

    private final FileChannel channel;

    private HomeLock(FileChannel channel) {
        this.channel = channel;
    }

    public static HomeLock take(Home home) throws IOException {
        var channel = PrivateFiles.open(home.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) throw alreadyHeld(home);
        } catch (OverlappingFileLockException e) {
            throw alreadyHeld(home);
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8)), 0);
        return new HomeLock(channel);
    }

    private static RoostError alreadyHeld(Home home) throws IOException {
        String holder = PrivateFiles.tail(home.lock(), 64).strip();
        return ErrorCode.DAEMON_RUNNING.error(
                "A daemon (pid %s) already holds %s.".formatted(holder.isEmpty() ? "unknown" : holder, home.root()));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
