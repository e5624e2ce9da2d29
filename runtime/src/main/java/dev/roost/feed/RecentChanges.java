package dev.roost.feed;

import dev.roost.model.RunId;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The runs that the latest commits touched, in memory only: after a restart, clients read all runs again. */
public final class RecentChanges {

    private static final int MAX_RUNS = 4096;

    /** The changes after a position; {@code complete} is false if older changes were forgotten. */
    record ChangesSince(String position, List<RunId> runs, boolean complete) {}

    private final String instanceId = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    private final LinkedHashMap<RunId, Long> changed = new LinkedHashMap<>(); // the latest change of each, oldest first
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition newChange = lock.newCondition();
    private long last;
    private long forgotten;

    public void changed(Set<RunId> runs) {
        if (runs.isEmpty()) return;
        lock.lock();
        try {
            last++;
            for (var run : runs) changed.putLast(run, last);
            while (changed.size() > MAX_RUNS)
                forgotten = changed.pollFirstEntry().getValue();
            newChange.signalAll();
        } finally {
            lock.unlock();
        }
    }

    ChangesSince now() {
        lock.lock();
        try {
            return new ChangesSince(position(), List.of(), false);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for at most {@code nanos} for a change after {@code position}. */
    ChangesSince await(String position, long nanos) throws InterruptedException {
        lock.lock();
        try {
            var after = number(position);
            if (after.isEmpty()) return new ChangesSince(position(), List.of(), false);
            for (long left = nanos; last <= after.get() && left > 0; ) left = newChange.awaitNanos(left);
            return new ChangesSince(position(), since(after.get()), forgotten <= after.get());
        } finally {
            lock.unlock();
        }
    }

    private List<RunId> since(long after) {
        var runs = new ArrayList<RunId>();
        for (var entry : changed.reversed().entrySet()) {
            if (entry.getValue() <= after) break;
            runs.add(entry.getKey());
        }
        return runs;
    }

    private String position() {
        return instanceId + "-" + last;
    }

    /** The number in the position; empty for a position of an earlier process or an invalid one. */
    private Optional<Long> number(String position) {
        if (!position.startsWith(instanceId + "-")) return Optional.empty();
        try {
            long number = Long.parseLong(position.substring(instanceId.length() + 1));
            return number < 0 || number > last ? Optional.empty() : Optional.of(number);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
