package dev.roost.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** A harness whose sessions can be parents. */
enum ParentHarness {
    CLAUDE_CODE("claude-code") {
        @Override
        Cli cli() {
            return Clis.CLAUDE;
        }

        private static final List<String> EVENTS =
                List.of("SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd");

        @Override
        void wire(CliHome user, RoostProgram program) throws IOException {
            var settings = Json.object();
            var hooks = settings.putObject("hooks");
            for (var event : EVENTS) {
                var all = hooks.putArray(event).addObject().putArray("hooks");
                all.addObject().put("type", "command").put("command", program.path() + " hook claude-code " + event);
                if (event.equals("Stop")) {
                    all.addObject()
                            .put("type", "command")
                            .put("command", program.path() + " hook claude-code Wake")
                            .put("asyncRewake", true)
                            .put("timeout", 86400);
                }
            }
            Files.createDirectories(user.path().resolve(".claude"));
            Files.writeString(user.path().resolve(".claude/settings.json"), settings.toString());
            var own =
                    Json.object("hasCompletedOnboarding", true, "theme", "dark", "bypassPermissionsModeAccepted", true);
            own.putObject("customApiKeyResponses").putArray("approved").add("dummy");
            own.putObject("projects")
                    .putObject(user.project().toString())
                    .put("hasTrustDialogAccepted", true)
                    .put("hasCompletedProjectOnboarding", true);
            own.putObject("mcpServers")
                    .putObject("roost")
                    .put("type", "stdio")
                    .put("command", program.path().toString())
                    .putArray("args")
                    .add("mcp");
            Files.writeString(user.path().resolve(".claude.json"), own.toString());
        }

        @Override
        List<String> turn(String session, boolean resume) {
            return List.of(
                    "-p",
                    "--permission-mode",
                    "bypassPermissions",
                    "--output-format",
                    "stream-json",
                    "--verbose",
                    resume ? "--resume" : "--session-id",
                    session);
        }

        @Override
        List<String> sit(String session) {
            return List.of("--permission-mode", "bypassPermissions", "--session-id", session);
        }

        @Override
        String tool(String name) {
            return "mcp__roost__" + name;
        }
    },

    OPENCODE("opencode") {
        @Override
        Cli cli() {
            return Clis.OPENCODE;
        }

        @Override
        void wire(CliHome user, RoostProgram program) throws IOException {
            var directory = user.path().resolve(".config/opencode");
            var file = directory.resolve("opencode.json");
            var config = (ObjectNode) Json.MAPPER.readTree(Files.readString(file));
            var server = config.putObject("mcp")
                    .putObject("roost")
                    .put("type", "local")
                    .put("enabled", true);
            server.putArray("command")
                    .add(program.path().toString())
                    .add("mcp")
                    .add("--harness")
                    .add("opencode");
            config.put("permission", "allow");
            Files.writeString(file, config.toString());
            Files.createDirectories(directory.resolve("plugin"));
            Files.copy(Path.of("..", "integrations", "opencode", "roost.js"), directory.resolve("plugin/roost.js"));
            user.environment().put("ROOST_PROGRAM", program.path().toString());
        }

        @Override
        List<String> turn(String session, boolean resume) {
            return resume ? List.of("run", "--format", "json", "-s", session) : List.of("run", "--format", "json");
        }

        @Override
        List<String> sit(String session) {
            return List.of();
        }

        @Override
        String tool(String name) {
            return "roost_" + name;
        }
    };

    private final String word;

    ParentHarness(String word) {
        this.word = word;
    }

    String word() {
        return word;
    }

    abstract Cli cli();

    /** What {@code roost install} does. */
    abstract void wire(CliHome user, RoostProgram program) throws IOException;

    /** The words for one turn without anybody before it; the prompt comes by standard input. */
    abstract List<String> turn(String session, boolean resume);

    /** The words for a session with somebody before it. */
    abstract List<String> sit(String session);

    abstract String tool(String name);
}
