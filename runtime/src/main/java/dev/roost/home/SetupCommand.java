package dev.roost.home;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A command that runs in a new worktree before the agent. The perch runs it as part of the attempt, so that stop, caps and a
 * daemon's restart affect it as they affect the agent. {@code setup} is the script and {@code setup.log} its output. After
 * success the script is renamed to {@code setup.done}; after a failure {@code setup.failed} has the exit status.
 */
public record SetupCommand(Path directory) {

    private static final int MAX_OUTPUT = 16 << 10;

    private static final String WRAPPER = """
            if [ -e "$0" ]; then
                sh -e "$0" </dev/null >"$0.log" 2>&1 ||
                    { set -- "$?"; echo "$1" >"$0.tmp"; mv "$0.tmp" "$0.failed"; exit "$1"; }
                mv "$0" "$0.done"
            fi
            exec "$@"
            """;

    private Path script() {
        return directory.resolve("setup");
    }

    private Path log() {
        return directory.resolve("setup.log");
    }

    /** The arguments that precede the attempt's own command line. */
    public List<String> words() {
        return List.of("/bin/sh", "-c", WRAPPER, script().toString());
    }

    public void write(String command) throws IOException {
        PrivateFiles.writeDurably(script(), (command + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Whether there is a setup command that has not succeeded yet. */
    public boolean isOpen() {
        return Files.exists(script(), LinkOption.NOFOLLOW_LINKS);
    }

    /** The exit status, if the command failed. */
    public Optional<String> failed() throws IOException {
        return PrivateFiles.read(directory.resolve("setup.failed")).map(String::strip);
    }

    /** The end of the command's output, once the command has ended. */
    public Optional<String> output() throws IOException {
        boolean ended = PrivateFiles.exists(directory.resolve("setup.done")) || failed().isPresent();
        return ended ? Optional.of(PrivateFiles.tail(log(), MAX_OUTPUT)) : Optional.empty();
    }
}
