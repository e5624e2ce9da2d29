package dev.roost.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** Kills all processes of a chaos home, found by their environment and by the agents' logs. */
public final class Sweep {

    private Sweep() {}

    public static void clean(ChaosHome home) {
        // a daemon may start another run while its processes are listed, so repeat until none is left
        for (int i = 0; i < 5; i++) {
            var left = left(home);
            if (left.isEmpty()) return;
            left.forEach(ExactProcess::kill);
        }
    }

    private static Set<ExactProcess> left(ChaosHome home) {
        var left = new LinkedHashSet<ExactProcess>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var directory : all) if (belongs(directory, home)) add(left, directory);
        } catch (IOException e) {
            // returns what was found so far
        }
        for (var name : home.evidenceNames())
            for (var process : home.evidenceOf(name).processes()) if (process.alive()) left.add(process);
        return left;
    }

    private static void add(Set<ExactProcess> left, Path directory) {
        long pid = Long.parseLong(directory.getFileName().toString());
        if (pid != ProcessHandle.current().pid()) ExactProcess.of(pid).ifPresent(left::add);
    }

    private static boolean belongs(Path directory, ChaosHome home) {
        try {
            return Files.readString(directory.resolve("environ"), StandardCharsets.ISO_8859_1)
                    .contains("=" + home.base() + "/");
        } catch (IOException e) {
            return false; // ended, or owned by another user
        }
    }
}
