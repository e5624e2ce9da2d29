package dev.roost.os;

import dev.roost.model.ProcessId;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The limits of this machine, and the processes on it that carry a cookie of Roost in their environment. */
public final class MachineLimits {

    private static final Pattern RUN_ID = Pattern.compile("\0ROOST_RUN_ID=([^\0]*)\0");

    private static final int FILES_TO_START = 48;
    private static final long OPEN_FILES_LIMIT = openFilesLimit();

    private MachineLimits() {}

    /** A process that carries a cookie. */
    public record CookieProcess(ProcessId id, Optional<String> runId, String described) {}

    /** Processes with {@code word} and a run id in their environment, except daemons. */
    public static List<CookieProcess> findByCookie(String word) {
        var scan = Kernel.here().scanProcesses();
        return Processes.all().stream()
                .filter(row -> row.state() != 'Z')
                .flatMap(row -> {
                    long pid = row.id().pid();
                    if (!scan.carries(pid, word) || RunCookie.isDaemon(pid)) return Stream.empty();
                    var run = RUN_ID.matcher(scan.environment(pid));
                    var id = run.find() ? Optional.of(run.group(1)) : Optional.<String>empty();
                    return Stream.of(new CookieProcess(row.id(), id, Processes.describe(row.id())));
                })
                .filter(carrier -> carrier.runId().isPresent())
                .toList();
    }

    /** Whether the Linux half of the kernel interface is in use, and not the portable one. */
    public static boolean isLinux() {
        return !Kernel.PORTABLE;
    }

    /** Whether the portable half is in use on Linux, on request. */
    public static boolean isForced() {
        return Kernel.FORCED;
    }

    /** The longest delay until the exit of a process is noticed by polling. */
    public static long lookedAtEveryMillis() {
        return PollingExitWatcher.INTERVAL.toMillis();
    }

    public static List<String> missingTools() {
        return Kernel.here().missingTools();
    }

    public static Optional<String> hostName() {
        return Kernel.here().hostName();
    }

    public static long openFilesLimit() {
        return Kernel.here().openFilesLimit();
    }

    /** How many runs, at most {@code most}, may start at once without reaching the limit on open files. */
    public static int roomForStarts(int most) {
        long open = Kernel.here().openFiles();
        if (open < 0) return most;
        return Math.clamp((OPEN_FILES_LIMIT - 1 - open) / FILES_TO_START, 0, most);
    }

    public static long fileWatchesLimit() {
        return Kernel.here().fileWatchesLimit();
    }
}
