package dev.roost.base;

import java.util.regex.Pattern;

/** What a disk does to a home, as an error that says which. */
public final class DiskErrors {

    /** The kernel's words, which programs like git repeat, and the database's. */
    private static final Pattern NO_ROOM = Pattern.compile("No space left|[Qq]uota exceeded|SQLITE_FULL");

    private DiskErrors() {}

    /** What a home says that cannot be used: of a full disk, that it is full. */
    public static Broken unusable(String home, Exception e) {
        if (isFull(e)) return full();
        return new Broken(
                "home_unusable",
                "The home %s cannot be used: %s.".formatted(home, TextFormat.why(e)),
                "Make it a writable directory of yours, or set ROOST_HOME to one.");
    }

    public static Broken full() {
        return new Broken(
                "disk_full",
                "The disk that holds the home is full, so nothing could be written.",
                "Free some space and try again; what was accepted before is safe.");
    }

    /** Whether there was no room, by what the system or the database said. */
    public static boolean isFull(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (NO_ROOM.matcher(String.valueOf(at.getMessage())).find()) return true;
        }
        return false;
    }
}
