package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What this machine allows, and who runs on it with a word of ours in its environment. */
public final class Machine {

    private static final Pattern RUN_ID = Pattern.compile("\0ROOST_RUN_ID=([^\0]*)\0");

    private static final int FILES_TO_START = 48;
    private static final long OPEN_FILES_LIMIT = openFilesLimit();

    private Machine() {}

    /** A process that carries a cookie. */
    public record Carrier(ProcessId id, Optional<String> runId, String described) {}

    /** Processes that were started with {@code word} in their environment; daemons are not counted. */
    public static List<Carrier> carrying(String word) {
        return Processes.all().stream()
                .filter(row -> row.state() != 'Z')
                .flatMap(row -> {
                    String environment = Processes.environment(row.id().pid());
                    if (!environment.contains("\0" + word + "\0")) return Stream.empty();
                    if (ProcessTree.isDaemon(row.id().pid())) return Stream.empty();
                    var run = RUN_ID.matcher(environment);
                    var id = run.find() ? Optional.of(run.group(1)) : Optional.<String>empty();
                    return Stream.of(new Carrier(row.id(), id, Processes.describe(row.id())));
                })
                .filter(carrier -> carrier.runId().isPresent())
                .toList();
    }

    public static long openFilesLimit() {
        try {
            for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (!line.startsWith("Max open files")) continue;
                var soft = line.substring(14).strip().split("\\s+", 2)[0];
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        } catch (IOException e) {
            // not told
        }
        return Long.MAX_VALUE;
    }

    /** How many runs can be started at once with the files that this process may open: at the limit, starting one breaks others. */
    public static int roomForStarts(int most) {
        var fds = Path.of("/proc/self/fd").toFile();
        long open = fds.length(); // newer kernels tell how many there are
        if (open == 0) {
            var list = fds.list();
            if (list == null) return most;
            open = list.length;
        }
        return Math.clamp((OPEN_FILES_LIMIT - 1 - open) / FILES_TO_START, 0, most);
    }

    public static long fileWatchesLimit() {
        try {
            return Long.parseLong(Processes.setting(Path.of("/proc/sys/fs/inotify/max_user_watches")));
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
