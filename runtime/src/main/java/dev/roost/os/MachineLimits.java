package dev.roost.os;

import dev.roost.model.ProcessId;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What this machine allows, and who runs on it with a word of ours in its environment. */
public final class MachineLimits {

    private static final Pattern RUN_ID = Pattern.compile("\0ROOST_RUN_ID=([^\0]*)\0");

    private static final int FILES_TO_START = 48;
    private static final long OPEN_FILES_LIMIT = openFilesLimit();

    private MachineLimits() {}

    /** A process that carries a cookie. */
    public record CookieProcess(ProcessId id, Optional<String> runId, String described) {}

    /** Processes that were started with {@code word} in their environment; daemons are not counted. */
    public static List<CookieProcess> findByCookie(String word) {
        var look = Kernel.here().scanProcesses();
        return Processes.all().stream()
                .filter(row -> row.state() != 'Z')
                .flatMap(row -> {
                    long pid = row.id().pid();
                    if (!look.carries(pid, word) || RunCookie.isDaemon(pid)) return Stream.empty();
                    var run = RUN_ID.matcher(look.environment(pid));
                    var id = run.find() ? Optional.of(run.group(1)) : Optional.<String>empty();
                    return Stream.of(new CookieProcess(row.id(), id, Processes.describe(row.id())));
                })
                .filter(carrier -> carrier.runId().isPresent())
                .toList();
    }

    /** Whether this machine is asked as Linux is; otherwise as any other Unix. */
    public static boolean isLinux() {
        return !Kernel.PORTABLE;
    }

    /** Whether that is so because somebody wants it, on a Linux. */
    public static boolean isForced() {
        return Kernel.FORCED;
    }

    /** How long an end may go unseen where the kernel does not tell. */
    public static long lookedAtEveryMillis() {
        return PollingExitWatcher.EVERY.toMillis();
    }

    /** Programs that are needed and not there. */
    public static List<String> missingTools() {
        return Kernel.here().missingTools();
    }

    /** As the kernel has it, where it says so: that needs no resolver. */
    public static Optional<String> hostName() {
        return Kernel.here().hostName();
    }

    public static long openFilesLimit() {
        return Kernel.here().openFilesLimit();
    }

    /** How many runs can be started at once with the files that this process may open: at the limit, starting one breaks others. */
    public static int roomForStarts(int most) {
        long open = Kernel.here().openFiles();
        if (open < 0) return most;
        return Math.clamp((OPEN_FILES_LIMIT - 1 - open) / FILES_TO_START, 0, most);
    }

    public static long fileWatchesLimit() {
        return Kernel.here().fileWatchesLimit();
    }
}
