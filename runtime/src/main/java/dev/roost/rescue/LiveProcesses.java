package dev.roost.rescue;

import dev.roost.os.OpenFiles;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Who is there: which processes have which files open, and where they are, as far as this machine tells. */
record LiveProcesses(OpenFiles files) {

    static LiveProcesses scan() {
        return new LiveProcesses(OpenFiles.look());
    }

    /** A process that has the file open, and had begun by then. */
    Optional<Long> findHolder(Path file, Instant by) {
        return files.holders(real(file)).stream()
                .filter(pid -> beganBy(pid, by))
                .findFirst();
    }

    /** A process whose working directory is this one or below it. */
    Optional<Long> findInDirectory(Path directory) {
        return files.below(real(directory)).stream().findFirst();
    }

    /** A process of that program in exactly this directory, that had begun by then. */
    Optional<Long> findProgram(String program, Path directory, Instant by) {
        return files.in(real(directory)).stream()
                .filter(pid -> Processes.commandLine(pid).contains(program) && beganBy(pid, by))
                .findFirst();
    }

    /** Whether that very process is still there, by when it began in the words of whoever wrote that down. */
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
