package dev.roost.conformance.agents;

import dev.roost.conformance.model.JsonObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A harness whose sessions can be owners. */
public enum OwnerHarness {
    CLAUDE_CODE("claude-code") {
        @Override
        public AgentCli cli() {
            return AgentCliCatalog.CLAUDE;
        }

        @Override
        public void prepare(AgentCliHome user) throws IOException {
            var own = JsonObjects.object(
                    "hasCompletedOnboarding", true, "theme", "dark", "bypassPermissionsModeAccepted", true);
            own.putObject("customApiKeyResponses").putArray("approved").add("dummy");
            own.putObject("projects")
                    .putObject(user.project().toString())
                    .put("hasTrustDialogAccepted", true)
                    .put("hasCompletedProjectOnboarding", true);
            Files.writeString(user.path().resolve(".claude.json"), own.toString());
        }

        @Override
        public List<String> turn(String session, boolean resume) {
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
        public List<String> sit(String session) {
            return List.of("--permission-mode", "bypassPermissions", "--session-id", session);
        }

        @Override
        public String tool(String name) {
            return "mcp__roost__" + name;
        }
    },

    OPENCODE("opencode") {
        @Override
        public AgentCli cli() {
            return AgentCliCatalog.OPENCODE;
        }

        @Override
        public void prepare(AgentCliHome user) throws IOException {
            var file = user.path().resolve(".config/opencode/opencode.json");
            var config = (ObjectNode) JsonObjects.MAPPER.readTree(Files.readString(file));
            Files.writeString(file, config.put("permission", "allow").toString());
        }

        @Override
        public List<String> turn(String session, boolean resume) {
            return resume ? List.of("run", "--format", "json", "-s", session) : List.of("run", "--format", "json");
        }

        @Override
        public List<String> sit(String session) {
            return List.of();
        }

        @Override
        public String tool(String name) {
            return "roost_" + name;
        }

        @Override
        public void speak(AgentCliHome user, String dialect) throws IOException {
            var file = user.path().resolve(".config/opencode/opencode.json");
            var config = JsonObjects.MAPPER.readTree(Files.readString(file));
            ((ArrayNode) config.path("mcp").path("roost").path("command"))
                    .add("--dialect")
                    .add(dialect);
            Files.writeString(file, config.toString());
        }
    },

    CODEX("codex") {
        @Override
        public AgentCli cli() {
            return AgentCliCatalog.CODEX;
        }

        @Override
        public void prepare(AgentCliHome user) {
            // nothing
        }

        // A user trusts the hooks in a terminal, which is missing here.
        @Override
        public List<String> turn(String session, boolean resume) {
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
        public List<String> sit(String session) {
            throw new IllegalStateException("not used in tests");
        }

        @Override
        public String tool(String name) {
            return "mcp__roost__" + name;
        }
    },

    GEMINI("gemini") {
        @Override
        public AgentCli cli() {
            return AgentCliCatalog.GEMINI;
        }

        @Override
        public void prepare(AgentCliHome user) {
            // nothing
        }

        @Override
        public List<String> turn(String session, boolean resume) {
            var words = List.of("--output-format", "stream-json", "--approval-mode", "yolo");
            return Stream.concat(words.stream(), resume ? Stream.of("--resume", session) : Stream.of())
                    .toList();
        }

        @Override
        public List<String> sit(String session) {
            throw new IllegalStateException("not used in tests");
        }

        @Override
        public String tool(String name) {
            return "mcp_roost_" + name;
        }
    };

    private final String word;

    OwnerHarness(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    public abstract AgentCli cli();

    /** Settings that its user has made before. */
    public abstract void prepare(AgentCliHome user) throws IOException;

    /** The arguments for one headless turn; the prompt comes on standard input. */
    public abstract List<String> turn(String session, boolean resume);

    /** The arguments for an interactive session. */
    public abstract List<String> sit(String session);

    public abstract String tool(String name);

    /** Serves Roost's tools under the names of another dialect. */
    public void speak(AgentCliHome user, String dialect) throws IOException {
        throw new UnsupportedOperationException("no test needs it in " + word + " yet");
    }
}
