package dev.roost.rescue;

import dev.roost.os.OpenFiles;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** The running processes, with their open files and working directories as far as this machine reports them. */
record LiveProcesses(OpenFiles files) {

    static LiveProcesses scan() {
        return new LiveProcesses(OpenFiles.look());
    }

    /** A process that has the file open and started no later than {@code by}. */
    Optional<Long> findHolder(Path file, Instant by) {
        return files.holders(real(file)).stream()
                .filter(pid -> beganBy(pid, by))
                .findFirst();
    }

    /** A process whose working directory is this directory or below it. */
    Optional<Long> findInDirectory(Path directory) {
        return files.below(real(directory)).stream().findFirst();
    }

    /** A process of the program in exactly this directory that started no later than {@code by}. */
    Optional<Long> findProgram(String program, Path directory, Instant by) {
        return files.in(real(directory)).stream()
                .filter(pid -> Processes.commandLine(pid).contains(program) && beganBy(pid, by))
                .findFirst();
    }

    /** Whether exactly this process still runs, by its recorded start time. */
    static boolean isSame(long pid, String begun) {
        return Processes.isThere(pid, begun);
    }

    private static boolean beganBy(long pid, Instant by) {
        return ProcessHandle.of(pid)
                .map(process -> process.info()
                        .startInstant()
                        .map(start -> !start.isAfter(by))
                        .orElse(true))
                .orElse(false);
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }
}
