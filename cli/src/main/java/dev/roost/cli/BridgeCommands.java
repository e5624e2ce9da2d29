package dev.roost.cli;

import dev.roost.cli.bridge.BridgeMain;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What harnesses and programs call. The launcher leads them to {@code BridgeMain}, past the parser; here they have their help. */
final class BridgeCommands {

    private BridgeCommands() {}

    private static int bridge(String... words) throws IOException, InterruptedException {
        BridgeMain.main(words);
        return 0; // not reached: the bridge ends the program itself
    }

    @Command(
            name = "mcp",
            description = {
                "The tools, for a harness: the Model Context Protocol over standard input and output.",
                "Every harness that takes a command for an MCP server can have this one."
            })
    static final class Mcp implements Callable<Integer> {

        @Option(
                names = "--dialect",
                paramLabel = "D",
                description = "under which names: roost (default), claude-code or oh-my-openagent")
        private @Nullable String dialect;

        @Option(
                names = "--harness",
                paramLabel = "H",
                description = "which harness calls: its runs' owners begin with that, and it decides the default agent")
        private @Nullable String harness;

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "show this help")
        boolean help;

        @Override
        public Integer call() throws Exception {
            var words = new java.util.ArrayList<>(List.of("mcp"));
            if (dialect != null) words.addAll(List.of("--dialect", dialect));
            if (harness != null) words.addAll(List.of("--harness", harness));
            return bridge(words.toArray(String[]::new));
        }
    }

    @Command(
            name = "hook",
            description =
                    "What a harness's hooks call: takes the event on standard input, prints what the session is to be told.")
    static final class Hook implements Callable<Integer> {

        @Parameters(paramLabel = "HARNESS", description = "claude-code, opencode, codex or gemini")
        @SuppressWarnings("NullAway.Init")
        private String harness;

        @Parameters(paramLabel = "EVENT", description = "the harness's own name for what happened")
        @SuppressWarnings("NullAway.Init")
        private String event;

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "show this help")
        boolean help;

        @Override
        public Integer call() throws Exception {
            return bridge("hook", harness, event);
        }
    }

    @Command(
            name = "socket",
            description =
                    "For programs: lines of the daemon's protocol from standard input, its answers on standard output.")
    static final class Socket implements Callable<Integer> {

        @Option(
                names = {"-h", "--help"},
                usageHelp = true,
                description = "show this help")
        boolean help;

        @Override
        public Integer call() throws Exception {
            return bridge("socket");
        }
    }
}
