package dev.roost.os;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The open files and working directories of processes, as far as this user may read them. */
public final class OpenFiles {

    private final Map<Path, List<Long>> holders = new HashMap<>();
    private final Map<Path, List<Long>> workingDirectories = new HashMap<>();

    private final Optional<String> unanswered;

    OpenFiles() {
        this(Optional.empty());
    }

    private OpenFiles(Optional<String> unanswered) {
        this.unanswered = unanswered;
    }

    /** The open files are unknown, because {@code program} did not answer. */
    public static OpenFiles unknown(String program) {
        return new OpenFiles(Optional.of(program));
    }

    /** The open files of all processes at this moment. */
    public static OpenFiles look() {
        return Kernel.here().openFilesOfAll();
    }

    /** The program that did not answer. Then an empty list does not mean that no process has the file open. */
    public Optional<String> unanswered() {
        return unanswered;
    }

    void holds(Path file, long pid) {
        add(holders, file, pid);
    }

    void isIn(Path directory, long pid) {
        add(workingDirectories, directory, pid);
    }

    private static void add(Map<Path, List<Long>> map, Path path, long pid) {
        var pids = map.computeIfAbsent(path, _ -> new ArrayList<>());
        if (!pids.contains(pid)) pids.add(pid);
    }

    public List<Long> holders(Path file) {
        return holders.getOrDefault(file, List.of());
    }

    /** The processes whose working directory is exactly this one. */
    public List<Long> in(Path directory) {
        return workingDirectories.getOrDefault(directory, List.of());
    }

    /** The processes whose working directory is this one or below it. */
    public List<Long> below(Path directory) {
        return workingDirectories.entrySet().stream()
                .filter(one -> one.getKey().startsWith(directory))
                .flatMap(one -> one.getValue().stream())
                .toList();
    }
}
