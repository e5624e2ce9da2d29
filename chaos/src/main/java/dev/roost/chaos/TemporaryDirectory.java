package dev.roost.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;

/** A temporary directory on a real disk. */
public final class TemporaryDirectory {

    private TemporaryDirectory() {}

    /** Avoids /tmp if it is in memory, because output must survive a full memory; keeps the path short for a socket. */
    public static Path directory(String name) throws IOException {
        for (var place : List.of(Path.of("/var/tmp"), Path.of(System.getProperty("user.home")))) {
            if (!Files.isWritable(place) || isMemory(place)) continue;
            var directory = Files.createTempDirectory(place, name);
            if (mayExecute(directory)) return directory;
            Files.delete(directory);
        }
        return Files.createTempDirectory(name);
    }

    /** False on a filesystem that is mounted noexec. */
    private static boolean mayExecute(Path directory) throws IOException {
        var program = Files.createFile(
                directory.resolve("program"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        boolean may = Files.isExecutable(program);
        Files.delete(program);
        return may;
    }

    private static boolean isMemory(Path place) {
        try {
            return Files.getFileStore(place).type().equals("tmpfs");
        } catch (IOException e) {
            return false; // in a chroot the mount may be invisible
        }
    }

    public static void remove(Path directory) throws IOException {
        try (var all = Files.walk(directory)) {
            for (var file : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
        }
    }
}
