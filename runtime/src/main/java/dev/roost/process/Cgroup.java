package dev.roost.process;

import dev.roost.model.ProcessId;
import dev.roost.os.Kernel;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The cgroup of one attempt, with the cgroups that its agent may have created below it. */
public record Cgroup(Path path) {

    static {
        Kernel.mustBeLinux(Cgroup.class);
    }

    Set<ProcessId> members() {
        var members = new HashSet<ProcessId>();
        for (var group : groups()) {
            try {
                for (var line : Files.readAllLines(group.resolve("cgroup.procs"))) {
                    Processes.row(Long.parseLong(line)).map(Processes.Row::id).ifPresent(members::add);
                }
            } catch (IOException e) {
                // removed meanwhile
            }
        }
        return members;
    }

    /** Whether a process is in this cgroup. Reads {@code /proc/<pid>/cgroup} instead of listing the members. */
    boolean holds(long pid) {
        String name = "/" + path.getFileName(); // unique for each attempt
        try {
            for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"))) {
                if ((line + "/").contains(name + "/")) return true;
            }
        } catch (IOException e) {
            // the process has ended
        }
        return false;
    }

    public boolean exists() {
        return Files.isDirectory(path);
    }

    /** Kills all members atomically, if the kernel has {@code cgroup.kill}. */
    void kill() {
        try {
            Files.writeString(path.resolve("cgroup.kill"), "1\n");
        } catch (IOException e) {
            // the caller kills each process
        }
    }

    /** Removes the group if it is empty. */
    public void remove() {
        try {
            for (var group : groups()) Files.deleteIfExists(group);
        } catch (IOException e) {
            // a process in it is still exiting
        }
    }

    /** Whether there are no child cgroups. Reads the link count, which avoids a walk over the many files. */
    private boolean hasNoChildren() {
        try {
            return Files.getAttribute(path, "unix:nlink") instanceof Integer links && links == 2;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    private List<Path> groups() {
        if (!exists()) return List.of();
        if (hasNoChildren()) return List.of(path);
        try (var files = Files.walk(path)) {
            return files.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of(path);
        }
    }
}
