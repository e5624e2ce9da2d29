package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Looks at what is in each directory, and how long and how old it is: for a kernel that does not tell Java of changes. */
final class PolledFiles implements FileEvents {

    static final Duration EVERY = Duration.ofMillis(40);

    private static final class Watched {
        private final Path directory;
        private final Runnable then;
        private long last;

        Watched(Path directory, Runnable then) {
            this.directory = directory;
            this.then = then;
            this.last = print(directory);
        }
    }

    private final Map<Object, Watched> watched = new ConcurrentHashMap<>();
    private final Ticker ticker = new Ticker("roost-files", EVERY, this::look);

    @Override
    public Watch watch(Path directory, Runnable then) throws IOException {
        if (!directory.toFile().isDirectory()) throw new NotDirectoryException(directory.toString());
        var key = new Object();
        watched.put(key, new Watched(directory, then));
        ticker.wake();
        return () -> watched.remove(key);
    }

    private boolean look() {
        for (var one : watched.values()) {
            long now = print(one.directory);
            if (now == one.last) continue;
            one.last = now;
            one.then.run();
        }
        return !watched.isEmpty();
    }

    /** Another one after every change. */
    private static long print(Path directory) {
        var files = directory.toFile().listFiles();
        if (files == null) return 0;
        long print = 1;
        for (var file : files) {
            long one = 31 * (31 * (31L * file.getName().hashCode() + file.length()) + file.lastModified());
            print += one * one; // in whatever order they are listed
        }
        return print;
    }

    @Override
    public void close() {
        ticker.close();
    }
}
