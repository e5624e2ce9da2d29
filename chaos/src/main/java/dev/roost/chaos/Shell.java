package dev.roost.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs programs and shell scripts whose output is not needed. */
public final class Shell {

    private Shell() {}

    /** The exit status; 127 if it could not be started. */
    static int run(Path directory, String script, String... arguments) {
        var builder = new ProcessBuilder("sh", "-c", script, "sh").directory(directory.toFile());
        builder.command().addAll(List.of(arguments));
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        return status(builder);
    }

    /** The exit status of any program; 127 if it could not be started. */
    public static int status(ProcessBuilder program) {
        try {
            return program.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return 127;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 127;
        }
    }
}
