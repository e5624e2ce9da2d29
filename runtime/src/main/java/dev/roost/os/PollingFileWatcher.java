package dev.roost.os;

import java.io.File;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Polls the names and lengths of the files in each directory, for a kernel without file events in Java. The next sweep sees a
 * change that keeps the length.
 */
final class PollingFileWatcher implements FileWatcher {

    static final Duration INTERVAL = Duration.ofMillis(40);

    /** How often a changed directory is listed: its modification time may be too coarse to show the next change. */
    private static final int LISTINGS = 3;

    private static final class PolledDirectory {
        private final File directory;
        private final Runnable then;
        private File[] files = {};
        private long listed;
        private int listings = LISTINGS;
        private long last;

        PolledDirectory(Path directory, Runnable then) {
            this.directory = directory.toFile();
            this.then = then;
            this.last = fingerprint();
        }

        /** Differs after every change. Lists the directory only if its time changed: reading the lengths is faster. */
        long fingerprint() {
            long changed = directory.lastModified();
            if (changed != listed) listings = LISTINGS;
            if (listings > 0) {
                listings--;
                listed = changed;
                var list = directory.listFiles();
                files = list == null ? new File[0] : list;
            }
            long fingerprint = files.length;
            for (var file : files) {
                long one = 31 * (31L * file.getName().hashCode() + file.length());
                fingerprint += one * one; // independent of the order of the list
            }
            return fingerprint;
        }
    }

    private final Map<Object, PolledDirectory> watched = new ConcurrentHashMap<>();
    private final Ticker ticker = new Ticker("roost-files", INTERVAL, this::poll);

    @Override
    public FileWatch watch(Path directory, Runnable then) throws IOException {
        if (!directory.toFile().isDirectory()) throw new NotDirectoryException(directory.toString());
        var key = new Object();
        watched.put(key, new PolledDirectory(directory, then));
        ticker.wake();
        return () -> watched.remove(key);
    }

    private boolean poll() {
        for (var one : watched.values()) {
            long now = one.fingerprint();
            if (now == one.last) continue;
            one.last = now;
            one.then.run();
        }
        return !watched.isEmpty();
    }

    @Override
    public void close() {
        ticker.close();
    }
}
