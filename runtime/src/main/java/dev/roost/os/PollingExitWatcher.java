package dev.roost.os;

import dev.roost.model.ProcessId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks whether each process is still there, by its identity: for a kernel that does not tell. {@code ProcessHandle.onExit} would do so
 * too, but takes two seconds for what is not our child.
 */
final class PollingExitWatcher implements ExitWatcher {

    static final Duration EVERY = Duration.ofMillis(100);

    private record ExitWatch(ProcessId id, Runnable then) {}

    private final Set<ExitWatch> watched = ConcurrentHashMap.newKeySet();
    private final Ticker ticker = new Ticker("roost-exits", EVERY, this::poll);

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
