package dev.roost.cli.demo;

import dev.roost.chaos.ChaosHome;
import dev.roost.chaos.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts this program in a mount namespace, in which the scene's home is on a separate filesystem. */
final class ChaosMountNamespace {

    /** As root, or as root of a user namespace. */
    private static final List<List<String>> NAMESPACES =
            List.of(List.of("unshare", "-m"), List.of("unshare", "-U", "-r", "-m"));

    private static final String MAIN_CLASS = "dev.roost.cli.CliMain"; // as in the launcher script

    private ChaosMountNamespace() {}

    /** The command prefix that starts a program in it; empty if this machine does not allow it. */
    static Optional<List<String>> commandPrefix(ChaosHome home) {
        return NAMESPACES.stream()
                .map(namespace -> with(namespace, home, List.of("true")))
                .filter(words -> Shell.status(new ProcessBuilder(words)) == 0)
                .findFirst()
                .map(words -> words.subList(0, words.size() - 1));
    }

    private static List<String> with(List<String> namespace, ChaosHome home, List<String> program) {
        var words = new ArrayList<>(namespace);
        words.addAll(List.of(
                "sh",
                "-c",
                "mount -t tmpfs -o size=1g,mode=700 chaos \"$0\" && exec \"$@\"",
                home.home().toString()));
        words.addAll(program);
        return words;
    }

    /** This program's command line up to its main class. */
    static List<String> program(boolean terminal) {
        try {
            var words = new ArrayList<String>();
            for (var word : Files.readString(Path.of("/proc/self/cmdline")).split("\0", -1)) {
                if (word.equals(MAIN_CLASS)) {
                    words.add(word);
                    return words;
                }
                words.add(word.startsWith("-Droost.terminal=") ? "-Droost.terminal=" + terminal : word);
            }
            throw new IllegalStateException("the main class is not in /proc/self/cmdline");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
