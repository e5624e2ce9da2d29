package dev.roost.cli.install;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.edit.JsonDocumentEdit;
import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TomlTable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Hooks in a file of their own, the server in the configuration. */
final class CodexInstall {

    private static final String NAME = "codex";
    private static final int SECONDS = 10;
    private static final int SECONDS_AT_THE_END = 3; // more is cut down, with a warning in every session

    private CodexInstall() {}

    static Harness of(HarnessPaths paths) {
        var directory = paths.given("CODEX_HOME").orElseGet(() -> paths.home().resolve(".codex"));
        var hooks = new HookGroups();
        for (var event : List.of("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")) {
            hooks.add(
                    event,
                    HookGroups.command()
                            .put("command", HookGroups.line(paths, NAME, event))
                            .put("timeout", event.equals("SessionEnd") ? SECONDS_AT_THE_END : SECONDS));
        }
        var table = new TomlTable(
                List.of("mcp_servers", "roost"),
                "# Written by `roost install codex`; `roost uninstall codex` takes it out again.",
                List.of(
                        "command = " + quoted(paths.launcher().toString()),
                        "args = [\"mcp\", \"--harness\", \"codex\"]",
                        "env_vars = [\"ROOST_HOME\", \"XDG_STATE_HOME\", \"XDG_CONFIG_HOME\"]",
                        "tool_timeout_sec = 600",
                        "default_tools_approval_mode = \"approve\" # else `codex exec` refuses every call"));
        var hookFile = new JsonFileEdit(
                directory.resolve("hooks.json"), NAME, hooks.all(), List.of(), DaemonClient.JSON.createObjectNode());
        var words = List.of(paths.launcher().toString(), "mcp", "--harness", NAME);
        var configuration = new HarnessFileEdit.TomlEdit(directory.resolve("config.toml"), table, words);
        return new Harness(
                NAME,
                NAME,
                List.of(hookFile, configuration),
                Optional.empty(),
                () -> untrusted(hookFile, configuration),
                List.of(
                        "Codex runs hooks only once you trust them: start `codex` and choose \"Trust all\" (or look at them first).",
                        "An idle Codex session cannot be woken; its notices wait for its next turn."));
    }

    /** It writes down which hooks it may run, by file, event and place; others it skips without a word. */
    private static Optional<Harness.Obstacle> untrusted(JsonFileEdit hooks, HarnessFileEdit.TomlEdit configuration) {
        try {
            var tables = TomlTable.names(Files.readString(configuration.file()));
            boolean trusted = OwnEntries.hooks(JsonDocumentEdit.read(Files.readString(hooks.file())), NAME).stream()
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
            return Optional.empty(); // it was well a moment ago
        }
        return Optional.of(new Harness.Obstacle(
                "it has not been told to trust Roost's hooks, and skips them",
                "start `codex` and choose \"Trust all\""));
    }

    private static String quoted(String text) {
        return DaemonClient.JSON
                .getNodeFactory()
                .stringNode(text)
                .toString(); // TOML's basic strings are written as JSON's
    }
}
