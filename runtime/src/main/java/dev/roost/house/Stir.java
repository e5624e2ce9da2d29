package dev.roost.house;

import dev.roost.run.RunId;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Which runs the latest commits touched, in memory only: after a restart everybody looks at everything again. */
final class Stir {

    private static final int REMEMBERED = 4096;

    /** What came after a position; {@code whole} is false where that is no longer known. */
    record Since(String position, List<RunId> runs, boolean whole) {}

    private final String life = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    private final LinkedHashMap<RunId, Long> touched = new LinkedHashMap<>(); // the latest touch of each, oldest first
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private long last;
    private long forgotten;

    void touched(Set<RunId> runs) {
        if (runs.isEmpty()) return;
        lock.lock();
        try {
            last++;
            for (var run : runs) touched.putLast(run, last);
            while (touched.size() > REMEMBERED)
                forgotten = touched.pollFirstEntry().getValue();
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Since now() {
        lock.lock();
        try {
            return new Since(position(), List.of(), false);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for at most {@code nanos} until something was touched after {@code position}. */
    Since await(String position, long nanos) throws InterruptedException {
        lock.lock();
        try {
            var after = number(position);
            if (after.isEmpty()) return new Since(position(), List.of(), false);
            for (long left = nanos; last <= after.get() && left > 0; ) left = more.awaitNanos(left);
            return new Since(position(), since(after.get()), forgotten <= after.get());
        } finally {
            lock.unlock();
        }
    }

    private List<RunId> since(long after) {
        var runs = new ArrayList<RunId>();
        for (var entry : touched.reversed().entrySet()) {
            if (entry.getValue() <= after) break;
            runs.add(entry.getKey());
        }
        return runs;
    }

    private String position() {
        return life + "-" + last;
    }

    /** Empty for a position of another life, or of nobody's. */
    private Optional<Long> number(String position) {
        if (!position.startsWith(life + "-")) return Optional.empty();
        try {
            long number = Long.parseLong(position.substring(life.length() + 1));
            return number < 0 || number > last ? Optional.empty() : Optional.of(number);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
