package dev.roost.cli.chaos;

import java.io.IOException;
import java.nio.file.Path;

/** A few words for sh, where nobody wants to read the answer. */
final class Shell {

    private Shell() {}

    /** Its exit status; 127 if it could not be started. */
    static int run(Path directory, String script, String... arguments) {
        var words = new java.util.ArrayList<>(java.util.List.of("sh", "-c", script, "sh"));
        words.addAll(java.util.List.of(arguments));
        var builder = new ProcessBuilder(words)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        try {
            return builder.start().waitFor();
        } catch (IOException e) {
            return 127;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 127;
        }
    }
}
