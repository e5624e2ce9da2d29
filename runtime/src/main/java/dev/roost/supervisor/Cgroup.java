package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One attempt's control group, and those its agent may have made below it. */
record Cgroup(Path path) {

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

    /** Kills all of it in one stroke; false where the kernel is too old for that. */
    boolean kill() {
        try {
            Files.writeString(path.resolve("cgroup.kill"), "1\n");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Removes the empty group; false while somebody is still in it. */
    boolean remove() {
        try {
            for (var group : groups()) Files.delete(group);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private List<Path> groups() {
        if (!Files.isDirectory(path)) return List.of();
        try (var all = Files.walk(path)) {
            return all.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of(path);
        }
    }
}
