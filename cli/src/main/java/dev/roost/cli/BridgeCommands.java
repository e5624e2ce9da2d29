package dev.roost.cli;

import dev.roost.cli.bridge.BridgeMain;
import dev.roost.cli.client.HelpOption;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that harnesses and programs call. The launcher starts {@code BridgeMain} for them without the parser; this class has their help. */
final class BridgeCommands {

    private BridgeCommands() {}

    private static int bridge(String... words) throws IOException, InterruptedException {
        BridgeMain.main(words);
        return 0; // not reached: the bridge exits the process
    }

    @Command(
            name = "mcp",
            description = {
                "Serve Roost's tools to a harness: the Model Context Protocol over standard input and output.",
                "Any harness that starts MCP servers by command can use it."
            })
    static final class Mcp implements Callable<Integer> {

        @Option(
                names = "--dialect",
                paramLabel = "D",
                description = "names of the tools: roost (default), claude-code or oh-my-openagent")
        private @Nullable String dialect;

        @Option(
                names = "--harness",
                paramLabel = "H",
                description = "the calling harness: prefix of its runs' owners; it decides the default agent")
        private @Nullable String harness;

        @Mixin
        HelpOption help;

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
                    "For a harness's hooks: reads the event from standard input and prints the message for the session.")
    static final class Hook implements Callable<Integer> {

        @Parameters(paramLabel = "HARNESS", description = "claude-code, opencode, codex or gemini")
        private String harness;

        @Parameters(paramLabel = "EVENT", description = "the harness's name for the event")
        private String event;

        @Mixin
        HelpOption help;

        @Override
        public Integer call() throws Exception {
            return bridge("hook", harness, event);
        }
    }

    @Command(
            name = "socket",
            description =
                    "For programs: sends requests of the daemon's protocol from standard input, prints its responses.")
    static final class Socket implements Callable<Integer> {

        @Mixin
        HelpOption help;

        @Override
        public Integer call() throws Exception {
            return bridge("socket");
        }
    }
}
