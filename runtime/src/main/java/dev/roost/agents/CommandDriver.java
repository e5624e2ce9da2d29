package dev.roost.agents;

import dev.roost.run.BadInput;
import dev.roost.run.Cause;
import dev.roost.run.Exit;
import dev.roost.run.Outcome;
import dev.roost.run.Words;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Any command. Its exit status 0 is its word for success, and its standard output is its result. */
public final class CommandDriver implements Driver {

    private static final String USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

    @Override
    public String name() {
        return "command";
    }

    @Override
    public boolean canResume() {
        return false;
    }

    @Override
    public void check(Task task, Path cwd, Map<String, String> environment) {
        if (task.argv().isEmpty()) return;
        String program = task.argv().getFirst();
        if (program.isEmpty() || !found(program, cwd, environment.getOrDefault("PATH", USUAL_PATH))) {
            throw new BadInput(
                    "no_such_executable",
                    "There is no executable \"%s\"%s."
                            .formatted(Words.printable(program), program.contains("/") ? "" : " on the PATH"),
                    "Check the spelling; for a line of shell use: roost run -- sh -c '…'.");
        }
    }

    private static boolean found(String program, Path cwd, String path) {
        if (program.contains("/")) return executable(cwd.resolve(program));
        for (var directory : path.split(":", -1)) {
            if (executable(cwd.resolve(directory).resolve(program))) return true;
        }
        return false;
    }

    private static boolean executable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    /** The words as they are; a prompt is a script, which sh reads from its file. */
    @Override
    public List<String> argv(Task task, Path promptFile) {
        return task.prompt().isPresent() ? List.of("sh", promptFile.toString()) : task.argv();
    }

    @Override
    public Outcome judge(Exit exit, boolean leftResult) {
        if (exit.signaled()) return new Outcome.Failed(Cause.SIGNAL);
        if (exit.status() != 0) return new Outcome.Failed(Cause.EXIT_CODE);
        return leftResult ? new Outcome.Completed() : new Outcome.CompletedEmpty();
    }
}
