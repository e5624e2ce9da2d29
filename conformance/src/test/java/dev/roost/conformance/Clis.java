package dev.roost.conformance;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The CLIs, installed from npm at their pinned versions on first use, each in a folder of its own. */
final class Clis {

    static final ClaudeCli CLAUDE = new ClaudeCli();
    static final CodexCli CODEX = new CodexCli();
    static final OpenCodeCli OPENCODE = new OpenCodeCli();
    static final GeminiCli GEMINI = new GeminiCli();
    static final CodexAcp CODEX_ACP = new CodexAcp(CODEX);
    static final ClaudeAcp CLAUDE_ACP = new ClaudeAcp(CLAUDE);

    /** Why an installation failed, by its folder: every case that needs it fails with that, at once. */
    private static final Map<Path, String> FAILED = new HashMap<>();

    private Clis() {}

    /** {@code $ROOST_CONFORMANCE_CACHE}, else {@code roost/conformance} in the user's cache. */
    static Path cache() {
        return variable("ROOST_CONFORMANCE_CACHE")
                .map(Path::of)
                .orElseGet(() -> variable("XDG_CACHE_HOME")
                        .map(Path::of)
                        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                        .resolve("roost", "conformance"));
    }

    /** How to start this CLI; installs it if it is not there yet. Safe to call from many threads and processes at once. */
    static List<String> command(Cli cli) throws IOException, InterruptedException {
        return command(cli, cache());
    }

    static synchronized List<String> command(Cli cli, Path cache) throws IOException, InterruptedException {
        var prefix = cache.resolve(cli.name() + "-" + version(cli));
        var whole = prefix.resolve("whole"); // written last: a broken installation is done again
        Files.createDirectories(prefix);
        try (var file = FileChannel.open(prefix.resolve("lock"), CREATE, WRITE);
                var _ = file.lock()) {
            if (!Files.exists(whole)) {
                installOnce(cli, prefix);
                Files.createFile(whole);
            }
        }
        var command = cli.command(prefix);
        var program = Path.of(command.getLast());
        if (!Files.exists(program)) throw new IllegalStateException(cli.name() + " is installed but has no " + program);
        return command;
    }

    private static void installOnce(Cli cli, Path prefix) throws IOException, InterruptedException {
        if (FAILED.containsKey(prefix)) throw new IllegalStateException(FAILED.get(prefix));
        try {
            install(cli, prefix);
        } catch (IOException | IllegalStateException e) {
            FAILED.put(prefix, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private static void install(Cli cli, Path prefix) throws IOException, InterruptedException {
        var npm = new ArrayList<>(List.of("npm", "install", "--prefix", prefix.toString()));
        npm.addAll(List.of("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"));
        npm.addAll(List.of("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000"));
        npm.addAll(cli.packages());
        var process = new ProcessBuilder(npm)
                .directory(prefix.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("%s could not be installed. npm says:%n%s".formatted(cli.name(), words));
        }
    }

    private static String version(Cli cli) {
        String first = cli.packages().getFirst();
        return first.substring(first.lastIndexOf('@') + 1).replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
