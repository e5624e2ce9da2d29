package dev.roost.home;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A command that is run in a fresh worktree before the agent: by the perch, as part of the attempt, so that it can be stopped,
 * capped and outlived like the agent itself. {@code setup} is what to run, {@code setup.log} what it printed; then it is
 * renamed to {@code setup.done}, or {@code setup.failed} has its exit status.
 */
public record SetupCommand(Path directory) {

    private static final int MOST_SAID = 16 << 10;

    private static final String FIRST = """
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

    /** What an attempt is to begin with, before its own words. */
    public List<String> words() {
        return List.of("/bin/sh", "-c", FIRST, script().toString());
    }

    public void write(String command) throws IOException {
        PrivateFiles.writeDurably(script(), (command + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** There is one, and it has not come to its end. */
    public boolean isOpen() {
        return Files.exists(script(), LinkOption.NOFOLLOW_LINKS);
    }

    /** Its exit status, if it failed. */
    public Optional<String> failed() throws IOException {
        return PrivateFiles.read(directory.resolve("setup.failed")).map(String::strip);
    }

    /** The last of what it printed, once it is over. */
    public Optional<String> said() throws IOException {
        boolean over = PrivateFiles.exists(directory.resolve("setup.done")) || failed().isPresent();
        return over ? Optional.of(PrivateFiles.tail(log(), MOST_SAID)) : Optional.empty();
    }
}
