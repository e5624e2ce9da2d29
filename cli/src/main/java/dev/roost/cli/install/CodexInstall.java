package dev.roost.cli.install;

import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Hooks in hooks.json, the MCP server in config.toml. */
final class CodexInstall {

    private static final String NAME = "codex";
    private static final int TIMEOUT_SECONDS = 10;
    private static final int END_TIMEOUT_SECONDS = 3; // Codex's maximum; more causes a warning in every session

    private CodexInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.given("CODEX_HOME").orElseGet(() -> paths.home().resolve(".codex"));
        var hooks = new LinkedHashMap<String, ObjectNode>();
        for (var event : List.of("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")) {
            int timeout = event.equals("SessionEnd") ? END_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
            hooks.put(
                    event,
                    JsonFileEdit.group(
                            JsonFileEdit.hook(paths.hookLine(NAME, event)).put("timeout", timeout)));
        }
        var launcher = paths.launcher().toString();
        var configuration = new TomlFileEdit(
                directory.resolve("config.toml"),
                List.of("mcp_servers", "roost"),
                "# Written by `roost install codex`; `roost uninstall codex` takes it out again.",
                List.of(
                        "command = " + JsonDocumentEdit.quoted(launcher), // TOML's basic strings have JSON's syntax
                        "args = [\"mcp\", \"--harness\", \"codex\"]",
                        "env_vars = [\"ROOST_HOME\", \"XDG_STATE_HOME\", \"XDG_CONFIG_HOME\"]",
                        "tool_timeout_sec = 600",
                        "default_tools_approval_mode = \"approve\" # else `codex exec` refuses every call"),
                List.of(launcher, "mcp", "--harness", NAME));
        var hookFile = JsonFileEdit.ofHooks(directory.resolve("hooks.json"), NAME, hooks);
        return new Harness(
                NAME,
                NAME,
                List.of(hookFile, configuration),
                Optional.empty(),
                () -> untrusted(hookFile, configuration),
                List.of(
                        "Codex runs hooks only after you trust them: start `codex`, review them and choose \"Trust all\".",
                        "An idle Codex session cannot be woken; its notices wait for its next turn."));
    }

    /** Codex records trusted hooks by file, event and index, and silently skips others. */
    private static Optional<Harness.Obstacle> untrusted(JsonFileEdit hooks, TomlFileEdit configuration) {
        try {
            var tables = TomlFileEdit.tables(Files.readString(configuration.file()));
            boolean trusted = hooks.hooksIn(JsonDocumentEdit.read(Files.readString(hooks.file()))).stream()
                    .map(ours -> "%s:%s:%s:%s"
                            .formatted(
                                    hooks.file(),
                                    ours.event()
                                            .replaceAll("(?<=.)(?=[A-Z])", "_")
                                            .toLowerCase(Locale.ROOT),
                                    ours.path().get(2),
                                    ours.path().getLast()))
                    .allMatch(key -> tables.contains(List.of("hooks", "state", key)));
            if (trusted) return Optional.empty();
        } catch (IOException | NotEditable e) {
            return Optional.empty(); // the earlier check reports such errors
        }
        return Optional.of(new Harness.Obstacle(
                "Codex does not trust Roost's hooks yet, and skips them", "start `codex` and choose \"Trust all\""));
    }
}
