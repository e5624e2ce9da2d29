package dev.roost.os;

import java.io.File;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at what is in each directory, and how long it is: for a kernel that does not tell Java of changes. What is written over without
 * growing is seen by the next sweep.
 */
final class PollingFileWatcher implements FileWatcher {

    static final Duration EVERY = Duration.ofMillis(40);

    /** So often is a directory that has changed listed again: its time of change may be too coarse for what comes right after. */
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
            this.last = print();
        }

        /** Another one after every change. To list a directory takes longer than to ask for the length of all that is in it. */
        long print() {
            long changed = directory.lastModified();
            if (changed != listed) listings = LISTINGS;
            if (listings > 0) {
                listings--;
                listed = changed;
                var all = directory.listFiles();
                files = all == null ? new File[0] : all;
            }
            long print = files.length;
            for (var file : files) {
                long one = 31 * (31L * file.getName().hashCode() + file.length());
                print += one * one; // in whatever order they are listed
            }
            return print;
        }
    }

    private final Map<Object, PolledDirectory> watched = new ConcurrentHashMap<>();
    private final Ticker ticker = new Ticker("roost-files", EVERY, this::poll);

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
            long now = one.print();
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
