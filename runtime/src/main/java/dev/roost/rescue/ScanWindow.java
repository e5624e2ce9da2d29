package dev.roost.rescue;

import dev.roost.os.OpenFiles;
import dev.roost.os.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The period that a search covers, and the processes that run at its end. */
record ScanWindow(Instant now, Instant since, LiveProcesses liveProcesses) {

    /** An agent with output this recent may still be working. */
    private static final Duration JUST_NOW = Duration.ofMinutes(1);

    /** Whether a file was modified in this period; other files need not be read. */
    boolean covers(Path file) {
        try {
            return !Files.getLastModifiedTime(file).toInstant().isBefore(since);
        } catch (IOException e) {
            return false;
        }
    }

    boolean covers(Instant at) {
        return !at.isBefore(since);
    }

    /** Marks the agent as at work if a process does its work, or if its last output is recent. */
    LostAgent unlessAtWork(LostAgent agent, Optional<Long> process, String why) {
        if (process.isPresent()) return agent.atWork(why.formatted(process.get()));
        boolean old = agent.lastSign().plus(JUST_NOW).isBefore(now);
        return old || agent.state() == LostAgent.State.AT_WORK
                ? agent
                : agent.atWork("it said something less than a minute ago");
    }

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
}
