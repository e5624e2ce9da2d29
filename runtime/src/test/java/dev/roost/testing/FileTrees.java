package dev.roost.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads directory contents and runs git. */
public final class FileTrees {

    public static final Map<String, String> GIT = Map.of(
            "GIT_AUTHOR_NAME", "t",
            "GIT_AUTHOR_EMAIL", "t@example.org",
            "GIT_COMMITTER_NAME", "t",
            "GIT_COMMITTER_EMAIL", "t@example.org",
            "GIT_EDITOR", "true");

    private FileTrees() {}

    public static Map<String, String> withoutIgnored(Map<String, String> files) {
        var kept = new TreeMap<>(files);
        kept.keySet().removeIf(name -> name.endsWith(".secret"));
        return kept;
    }

    public static void remove(Path directory) {
        assertThat(run(Path.of("/"), List.of("rm", "-rf", directory.toString())).ok())
                .isTrue();
    }

    /** File names and contents, without the {@code .git} file. */
    public static Map<String, String> files(Path root) throws IOException {
        var found = new TreeMap<String, String>();
        try (var all = Files.walk(root)) {
            for (var file : (Iterable<Path>) all::iterator) {
                var name = root.relativize(file).toString();
                if (name.equals(".git") || Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) continue;
                var content = Files.isSymbolicLink(file)
                        ? "-> " + Files.readSymbolicLink(file)
                        : (Files.isExecutable(file) ? "program " : "")
                                + Files.readString(file, StandardCharsets.ISO_8859_1);
                found.put(name, content);
            }
        }
        return found;
    }

    public record CommandResult(int exit, String text) {
        public boolean ok() {
            return exit == 0;
        }
    }

    private static CommandResult run(Path at, List<String> argv) {
        try {
            var builder = new ProcessBuilder(argv).directory(at.toFile()).redirectErrorStream(true);
            builder.environment().putAll(GIT);
            var process = builder.start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new CommandResult(process.waitFor(), text);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static CommandResult tryGit(Path at, String... words) {
        var argv = new ArrayList<>(List.of("git"));
        argv.addAll(List.of(words));
        return run(at, argv);
    }

    public static String git(Path at, String... words) {
        var result = tryGit(at, words);
        assertThat(result.ok()).as("git %s: %s", List.of(words), result.text()).isTrue();
        return result.text();
    }
}
