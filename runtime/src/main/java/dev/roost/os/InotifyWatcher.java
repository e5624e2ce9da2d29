package dev.roost.os;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Watches files with the JDK's watch service, one thread for all. It uses inotify on Linux, and polls elsewhere. */
final class InotifyWatcher implements FileWatcher {

    static {
        Kernel.mustBeLinux(InotifyWatcher.class);
    }

    private final WatchService service;
    /**
     * Serializes requests. For each request the JDK's service writes a byte to its own pipe while it holds a lock that its poller
     * needs: some 300 requests at once fill the pipe and deadlock both.
     */
    private final Object requestLock = new Object();

    private final Map<WatchKey, Runnable> watched = new ConcurrentHashMap<>();

    InotifyWatcher() {
        try {
            service = FileSystems.getDefault().newWatchService();
        } catch (IOException e) {
            throw new IllegalStateException("the file watch service cannot be opened", e);
        }
        Thread.ofPlatform().daemon().name("roost-files").start(this::loop);
    }

    @Override
    public FileWatch watch(Path directory, Runnable then) throws IOException {
        WatchKey key;
        synchronized (requestLock) {
            key = directory.register(service, ENTRY_CREATE, ENTRY_MODIFY);
        }
        watched.put(key, then);
        return () -> {
            watched.remove(key);
            synchronized (requestLock) {
                key.cancel();
            }
        };
    }

    private void loop() {
        try {
            while (true) {
                var key = service.take();
                boolean overflow =
                        key.pollEvents().stream().anyMatch(event -> event.kind().equals(OVERFLOW));
                key.reset();
                if (overflow) {
                    watched.values().forEach(Runnable::run); // an event of an unknown directory was lost: notify all
                } else {
                    var then = watched.get(key);
                    if (then != null) then.run();
                }
            }
        } catch (ClosedWatchServiceException | InterruptedException e) {
            // closed
        }
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
