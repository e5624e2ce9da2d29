package dev.roost.base;

import java.util.regex.Pattern;

/** Errors for disk failures in a home. */
public final class DiskErrors {

    /** Messages of the kernel, which programs like git repeat, and of SQLite. */
    private static final Pattern DISK_FULL = Pattern.compile("No space left|[Qq]uota exceeded|SQLITE_FULL");

    private DiskErrors() {}

    /** The error for a home that cannot be used; {@code disk_full} if the disk is full. */
    public static RoostError unusable(String home, Exception e) {
        if (isFull(e)) return full();
        return ErrorCode.HOME_UNUSABLE.error("The home %s cannot be used: %s.".formatted(home, TextFormat.why(e)));
    }

    public static RoostError full() {
        return ErrorCode.DISK_FULL.error("The disk that holds the home is full, so nothing could be written.");
    }

    /** Whether the disk is full, judged by the message of the system or the database. */
    public static boolean isFull(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (DISK_FULL.matcher(String.valueOf(at.getMessage())).find()) return true;
        }
        return false;
    }
}
