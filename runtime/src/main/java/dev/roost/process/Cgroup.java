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

/** One attempt's control group, and those its agent may have made below it. */
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

    /** By the process's own word: /proc knows its group without a search. */
    boolean holds(long pid) {
        String name = "/" + path.getFileName(); // no two attempts have the same
        try {
            for (var line : Files.readAllLines(Path.of("/proc/" + pid + "/cgroup"))) {
                if ((line + "/").contains(name + "/")) return true;
            }
        } catch (IOException e) {
            // gone
        }
        return false;
    }

    public boolean exists() {
        return Files.isDirectory(path);
    }

    /** Kills all of it in one stroke, where the kernel is new enough for that. */
    void kill() {
        try {
            Files.writeString(path.resolve("cgroup.kill"), "1\n");
        } catch (IOException e) {
            // then each is killed by itself
        }
    }

    /** Removes the group if it is empty. */
    public void remove() {
        try {
            for (var group : groups()) Files.deleteIfExists(group);
        } catch (IOException e) {
            // somebody is still in it, on his way out
        }
    }

    /** The kernel counts a group's own groups as links to it; a search would look at each of its many files. */
    private boolean isAlone() {
        try {
            return Files.getAttribute(path, "unix:nlink") instanceof Integer links && links == 2;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    private List<Path> groups() {
        if (!exists()) return List.of();
        if (isAlone()) return List.of(path);
        try (var all = Files.walk(path)) {
            return all.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of(path);
        }
    }
}
