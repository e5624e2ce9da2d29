package dev.roost.conformance.agents;

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

/** The CLIs, installed from npm at pinned versions on first use, each in a directory of its own. */
public final class AgentCliCatalog {

    public static final ClaudeCli CLAUDE = new ClaudeCli();
    public static final CodexCli CODEX = new CodexCli();
    public static final OpenCodeCli OPENCODE = new OpenCodeCli();
    public static final GeminiCli GEMINI = new GeminiCli();
    public static final CodexAcpCli CODEX_ACP = new CodexAcpCli(CODEX);
    public static final ClaudeAcpCli CLAUDE_ACP = new ClaudeAcpCli(CLAUDE);

    /** Failed installations by directory; each case that needs one fails at once with the reason. */
    private static final Map<Path, String> FAILED = new HashMap<>();

    private AgentCliCatalog() {}

    /** {@code $ROOST_CONFORMANCE_CACHE}, else {@code roost/conformance} in the user's cache. */
    public static Path cache() {
        return variable("ROOST_CONFORMANCE_CACHE")
                .map(Path::of)
                .orElseGet(() -> variable("XDG_CACHE_HOME")
                        .map(Path::of)
                        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
                        .resolve("roost", "conformance"));
    }

    /** The command of this CLI; installs it if needed. Safe for concurrent threads and processes. */
    public static List<String> command(AgentCli agentCli) throws IOException, InterruptedException {
        return command(agentCli, cache());
    }

    static synchronized List<String> command(AgentCli agentCli, Path cache) throws IOException, InterruptedException {
        var prefix = cache.resolve(agentCli.name() + "-" + version(agentCli));
        var whole = prefix.resolve("whole"); // written last, so that an incomplete installation is repeated
        Files.createDirectories(prefix);
        try (var file = FileChannel.open(prefix.resolve("lock"), CREATE, WRITE);
                var _ = file.lock()) {
            if (!Files.exists(whole)) {
                installOnce(agentCli, prefix);
                Files.createFile(whole);
            }
        }
        var command = agentCli.command(prefix);
        var program = Path.of(command.getLast());
        if (!Files.exists(program))
            throw new IllegalStateException(agentCli.name() + " is installed but has no " + program);
        return command;
    }

    private static void installOnce(AgentCli agentCli, Path prefix) throws IOException, InterruptedException {
        if (FAILED.containsKey(prefix)) throw new IllegalStateException(FAILED.get(prefix));
        try {
            install(agentCli, prefix);
        } catch (IOException | IllegalStateException e) {
            FAILED.put(prefix, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private static void install(AgentCli agentCli, Path prefix) throws IOException, InterruptedException {
        var npm = new ArrayList<>(List.of("npm", "install", "--prefix", prefix.toString()));
        npm.addAll(List.of("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"));
        npm.addAll(List.of("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000"));
        npm.addAll(agentCli.packages());
        var process = new ProcessBuilder(npm)
                .directory(prefix.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(
                    "%s could not be installed. npm says:%n%s".formatted(agentCli.name(), words));
        }
    }

    private static String version(AgentCli agentCli) {
        String first = agentCli.packages().getFirst();
        return first.substring(first.lastIndexOf('@') + 1).replaceAll("[^A-Za-z0-9.-]", "_");
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
