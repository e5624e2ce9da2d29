package dev.roost.os;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which processes have which files open, and where they are, as far as this user may know. */
public final class OpenFiles {

    private final Map<Path, List<Long>> holders = new HashMap<>();
    private final Map<Path, List<Long>> places = new HashMap<>();

    private final Optional<String> unanswered;

    OpenFiles() {
        this(Optional.empty());
    }

    private OpenFiles(Optional<String> unanswered) {
        this.unanswered = unanswered;
    }

    /** Nobody knows, since {@code program} did not answer. */
    public static OpenFiles unknown(String program) {
        return new OpenFiles(Optional.of(program));
    }

    /** Of all processes, now. */
    public static OpenFiles look() {
        return Kernel.here().openFilesOfAll();
    }

    /** Who did not answer: then that nobody is listed does not mean that nobody is there. */
    public Optional<String> unanswered() {
        return unanswered;
    }

    void holds(Path file, long pid) {
        add(holders, file, pid);
    }

    void isIn(Path directory, long pid) {
        add(places, directory, pid);
    }

    private static void add(Map<Path, List<Long>> map, Path path, long pid) {
        var pids = map.computeIfAbsent(path, _ -> new ArrayList<>());
        if (!pids.contains(pid)) pids.add(pid);
    }

    public List<Long> holders(Path file) {
        return holders.getOrDefault(file, List.of());
    }

    /** Those whose working directory is exactly this one. */
    public List<Long> in(Path directory) {
        return places.getOrDefault(directory, List.of());
    }

    /** Those whose working directory is this one or below it. */
    public List<Long> below(Path directory) {
        return places.entrySet().stream()
                .filter(one -> one.getKey().startsWith(directory))
                .flatMap(one -> one.getValue().stream())
                .toList();
    }
}
