package dev.roost.daemon;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/**
 * Lets a library write the same record once a minute. While the database of a cluster is unreachable, db-scheduler writes a
 * stack trace every second, which would push Roost's own lines out of the log.
 */
final class LibraryLogFilter implements Filter {

    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final int MOST_KINDS = 200;
    private static final Pattern CHANGING = Pattern.compile("@[0-9a-f]+|[0-9]+");

    private final Map<RecordKind, Instant> written = new HashMap<>();

    /** Two records of one kind differ only in numbers and in the identities of objects. */
    private record RecordKind(String logger, String words) {}

    static boolean isLibrary(LogRecord record) {
        return !String.valueOf(record.getLoggerName()).startsWith("dev.roost");
    }

    @Override
    public synchronized boolean isLoggable(LogRecord record) {
        if (!isLibrary(record)) return true;
        var message = String.valueOf(record.getMessage());
        var kind = new RecordKind(
                String.valueOf(record.getLoggerName()),
                CHANGING.matcher(message).replaceAll(""));
        var at = record.getInstant();
        var last = written.get(kind);
        if (last != null && Duration.between(last, at).abs().compareTo(PAUSE) < 0) return false;
        if (written.size() >= MOST_KINDS) written.clear();
        written.put(kind, at);
        return true;
    }
}
