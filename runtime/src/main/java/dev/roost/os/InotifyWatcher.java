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

/** By the JDK's own service, which is inotify on Linux (elsewhere it looks only every other second): one thread for all. */
final class InotifyWatcher implements FileWatcher {

    static {
        Kernel.mustBeLinux(InotifyWatcher.class);
    }

    private final WatchService service;
    /**
     * The JDK's service writes a byte to itself for each request while it holds a lock that its poller needs: some 300
     * requests at once fill that pipe and block both for ever.
     */
    private final Object oneAtATime = new Object();

    private final Map<WatchKey, Runnable> watched = new ConcurrentHashMap<>();

    InotifyWatcher() {
        try {
            service = FileSystems.getDefault().newWatchService();
        } catch (IOException e) {
            throw new IllegalStateException("this machine gives no file events", e);
        }
        Thread.ofPlatform().daemon().name("roost-files").start(this::loop);
    }

    @Override
    public FileWatch watch(Path directory, Runnable then) throws IOException {
        WatchKey key;
        synchronized (oneAtATime) {
            key = directory.register(service, ENTRY_CREATE, ENTRY_MODIFY);
        }
        watched.put(key, then);
        return () -> {
            watched.remove(key);
            synchronized (oneAtATime) {
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
                    watched.values().forEach(Runnable::run); // something was missed somewhere: look everywhere
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
