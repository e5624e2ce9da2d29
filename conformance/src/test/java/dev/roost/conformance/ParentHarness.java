package dev.roost.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A harness whose sessions can be parents. */
enum ParentHarness {
    CLAUDE_CODE("claude-code") {
        @Override
        Cli cli() {
            return Clis.CLAUDE;
        }

        @Override
        void prepare(CliHome user) throws IOException {
            var own =
                    Json.object("hasCompletedOnboarding", true, "theme", "dark", "bypassPermissionsModeAccepted", true);
            own.putObject("customApiKeyResponses").putArray("approved").add("dummy");
            own.putObject("projects")
                    .putObject(user.project().toString())
                    .put("hasTrustDialogAccepted", true)
                    .put("hasCompletedProjectOnboarding", true);
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
        void prepare(CliHome user) throws IOException {
            var file = user.path().resolve(".config/opencode/opencode.json");
            var config = (ObjectNode) Json.MAPPER.readTree(Files.readString(file));
            Files.writeString(file, config.put("permission", "allow").toString());
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

        @Override
        void speak(CliHome user, String dialect) throws IOException {
            var file = user.path().resolve(".config/opencode/opencode.json");
            var config = Json.MAPPER.readTree(Files.readString(file));
            ((ArrayNode) config.path("mcp").path("roost").path("command"))
                    .add("--dialect")
                    .add(dialect);
            Files.writeString(file, config.toString());
        }
    },

    CODEX("codex") {
        @Override
        Cli cli() {
            return Clis.CODEX;
        }

        @Override
        void prepare(CliHome user) {
            // nothing
        }

        // Trusting the hooks is its user's to do, in its terminal; here nobody sits before one.
        @Override
        List<String> turn(String session, boolean resume) {
            var words = List.of(
                    "exec",
                    "--json",
                    "--skip-git-repo-check",
                    "--dangerously-bypass-approvals-and-sandbox",
                    "--dangerously-bypass-hook-trust");
            return Stream.concat(words.stream(), resume ? Stream.of("resume", session, "-") : Stream.of("-"))
                    .toList();
        }

        @Override
        List<String> sit(String session) {
            throw new IllegalStateException("not played");
        }

        @Override
        String tool(String name) {
            return "mcp__roost__" + name;
        }
    },

    GEMINI("gemini") {
        @Override
        Cli cli() {
            return Clis.GEMINI;
        }

        @Override
        void prepare(CliHome user) {
            // nothing
        }

        @Override
        List<String> turn(String session, boolean resume) {
            var words = List.of("--output-format", "stream-json", "--approval-mode", "yolo");
            return Stream.concat(words.stream(), resume ? Stream.of("--resume", session) : Stream.of())
                    .toList();
        }

        @Override
        List<String> sit(String session) {
            throw new IllegalStateException("not played");
        }

        @Override
        String tool(String name) {
            return "mcp_roost_" + name;
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

    /** What its user has done before. */
    abstract void prepare(CliHome user) throws IOException;

    /** The words for one turn without anybody before it; the prompt comes by standard input. */
    abstract List<String> turn(String session, boolean resume);

    /** The words for a session with somebody before it. */
    abstract List<String> sit(String session);

    abstract String tool(String name);

    /** Has Roost's tools served under other names. */
    void speak(CliHome user, String dialect) throws IOException {
        throw new UnsupportedOperationException("no test needs it in " + word + " yet");
    }
}
