package dev.roost.os;

import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Polls whether each process is alive, for a kernel without exit events. {@code ProcessHandle.onExit} polls too, but needs two
 * seconds for a process that is not a child of this one.
 */
final class PollingExitWatcher implements ExitWatcher {

    static final Duration INTERVAL = Duration.ofMillis(100);

    private record ExitWatch(ProcessId id, Runnable then) {}

    private final Set<ExitWatch> watched = ConcurrentHashMap.newKeySet();
    private final Ticker ticker = new Ticker("roost-exits", INTERVAL, this::poll);

    @Override
    public void watch(ProcessId id, Runnable then) {
        if (!Processes.alive(id)) {
            then.run();
        } else {
            watched.add(new ExitWatch(id, then));
            ticker.wake();
        }
    }

    private boolean poll() {
        for (var watch : List.copyOf(watched)) {
            if (!Processes.alive(watch.id) && watched.remove(watch)) watch.then.run();
        }
        return !watched.isEmpty();
    }

    @Override
    public boolean immediate() {
        return false;
    }

    @Override
    public void close() {
        ticker.close();
    }
}
