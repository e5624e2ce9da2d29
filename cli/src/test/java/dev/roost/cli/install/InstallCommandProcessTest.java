package dev.roost.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code roost install HARNESS} and {@code uninstall}, with and without earlier entries. */
class InstallCommandProcessTest extends CliFixture {

    private static final String LAUNCHER =
            Path.of("..", "roost").toAbsolutePath().normalize().toString();

    private Path user;
    private Path settings;
    private Path servers;

    @BeforeEach
    void aUser() throws IOException {
        user = Files.createDirectories(scratch.resolve("user"));
        settings = user.resolve(".claude/settings.json");
        servers = user.resolve(".claude.json");
        Files.createDirectories(settings.getParent());
    }

    private Ran as(String... words) {
        return roostWith(
                "",
                Map.of(
                        "HOME",
                        user.toString(),
                        "XDG_CONFIG_HOME",
                        user.resolve(".config").toString()),
                words);
    }

    private List<Path> backups(Path file) throws IOException {
        try (var all = Files.list(file.getParent())) {
            return all.filter(one -> one.getFileName().toString().startsWith(file.getFileName() + ".roost-backup-"))
                    .toList();
        }
    }

    /** All of the user's files with their content, without backups. */
    private Map<String, String> snapshot() throws IOException {
        return snapshot(user);
    }

    static Map<String, String> snapshot(Path user) throws IOException {
        var all = new java.util.TreeMap<String, String>();
        try (var files = Files.walk(user)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                if (!file.toString().contains(".roost-backup-"))
                    all.put(user.relativize(file).toString(), Files.readString(file));
            }
        }
        return all;
    }

    @Test
    void without_confirmation_install_only_shows_the_changes() throws Exception {
        Files.writeString(settings, "{\n  \"model\": \"opus\"\n}\n");
        var before = snapshot();
        for (var more : List.of(List.<String>of(), List.of("--dry-run"))) {
            var words = new java.util.ArrayList<>(List.of("install", "claude-code"));
            words.addAll(more);
            var shown = as(words.toArray(String[]::new));
            assertThat(shown.exit()).isEqualTo(more.isEmpty() ? 5 : 0);
            assertThat(shown.out())
                    .contains("@@ -1,3 +1,", "-  \"model\": \"opus\"\n", "+  \"model\": \"opus\",\n", "+  \"hooks\": {")
                    .contains(settings.toString(), servers + " (new)", "SKILL.md (new)")
                    .contains("more lines; --dry-run --json shows all of them.");
            if (more.isEmpty()) assertThat(shown.err()).contains("--yes");
            assertThat(snapshot()).isEqualTo(before);
        }
        var json = as("install", "claude-code", "--json");
        assertThat(json.exit()).isEqualTo(5);
        assertThat(json.json().path("error").path("code").asString()).isEqualTo("not_confirmed");
        assertThat(json.json().path("files")).hasSize(3);
        var skill = Files.readString(Path.of("../integrations/claude-code/skills/roost/SKILL.md"));
        assertThat(json.json().path("files").findValuesAsString("diff"))
                .as("the whole file, of which only the beginning was shown")
                .anyMatch(diff -> diff.contains(skill.lines().toList().getLast()));
        assertThat(snapshot()).isEqualTo(before);
    }

    @Test
    void claude_code_gets_hooks_a_wake_hook_the_server_and_a_skill_once() throws Exception {
        Files.writeString(
                servers, "{\n  \"numStartups\": 5,\n  \"mcpServers\": {\n    \"um\": {\"command\": \"um\"}\n  }\n}");
        Files.setPosixFilePermissions(servers, PosixFilePermissions.fromString("rw-r-----"));
        var done = as("install", "claude-code", "--yes").ok();
        assertThat(done.out())
                .contains("Backup of " + servers + ": " + servers + ".roost-backup-", "roost uninstall claude-code");
        assertThat(as("uninstall", "claude-code", "--dry-run").ok().out())
                .contains("SKILL.md (removed)", "more lines; --dry-run --json shows all of them.");

        var hooks = DaemonClient.JSON.readTree(Files.readString(settings)).path("hooks");
        assertThat(hooks.propertyNames())
                .containsExactly(
                        "SessionStart", "UserPromptSubmit", "PostToolBatch", "Stop", "StopFailure", "SessionEnd");
        var stop = hooks.path("Stop").path(0).path("hooks");
        assertThat(stop).hasSize(2);
        assertThat(stop.path(0).toString())
                .isEqualTo(
                        "{\"type\":\"command\",\"command\":\"%s\",\"args\":[\"hook\",\"claude-code\",\"Stop\"],\"timeout\":10}"
                                .formatted(LAUNCHER));
        assertThat(stop.path(1).path("asyncRewake").asBoolean()).isTrue();
        assertThat(stop.path(1).path("timeout").asInt()).isEqualTo(86_400);
        assertThat(hooks.path("SessionStart").path(0).path("hooks")).hasSize(1);
        var server = DaemonClient.JSON.readTree(Files.readString(servers)).path("mcpServers");
        assertThat(server.propertyNames()).containsExactly("um", "roost");
        assertThat(server.path("roost").toString())
                .isEqualTo("{\"type\":\"stdio\",\"command\":\"%s\",\"args\":[\"mcp\"]}".formatted(LAUNCHER));
        assertThat(user.resolve(".claude/skills/roost/SKILL.md"))
                .hasSameTextualContentAs(Path.of("../integrations/claude-code/skills/roost/SKILL.md"));
        assertThat(Files.readString(servers))
                .contains("    \"um\": {\"command\": \"um\"},\n    \"roost\": {\n      \"type\"");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(servers)))
                .isEqualTo("rw-r-----");
        assertThat(backups(servers))
                .singleElement()
                .satisfies(copy -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                        .isEqualTo("rw-r-----"));

        var after = snapshot();
        assertThat(as("install", "claude-code").ok().out()).startsWith("Nothing to change");
        assertThat(as("install", "claude-code", "--yes", "--json")
                        .ok()
                        .json()
                        .path("changed")
                        .asBoolean())
                .isFalse();
        assertThat(snapshot()).isEqualTo(after);
    }

    @Test
    void uninstall_removes_only_installed_entries_and_keeps_the_users() throws Exception {
        for (var harness : Harness.NAMES) as("install", harness, "--yes").ok();
        assertThat(snapshot()).hasSize(8);
        for (var harness : Harness.NAMES) as("uninstall", harness, "--yes").ok();
        assertThat(snapshot()).isEmpty();
        assertThat(user.resolve(".claude/skills/roost")).doesNotExist();

        Files.writeString(settings, "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"model\": \"opus\"\n}\n");
        as("install", "claude-code", "--yes").ok();
        var text = Files.readString(settings);
        int ours = text.indexOf("{\n            \"type\": \"command\"", text.indexOf("\"SessionEnd\""));
        Files.writeString(
                settings,
                text.substring(0, ours) + "{\"type\": \"command\", \"command\": \"theirs\"},\n          "
                        + text.substring(ours).replace("\"opus\"", "\"sonnet\""));
        as("uninstall", "claude-code", "--yes").ok();
        assertThat(Files.readString(settings)).isEqualTo("""
                {
                  "hooks": {
                    "Stop": [],
                    "SessionEnd": [
                      {
                        "hooks": [
                          {"type": "command", "command": "theirs"}
                        ]
                      }
                    ]
                  },
                  "model": "sonnet"
                }
                """);
        assertThat(backups(settings)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\": }",
                "[]",
                "\"x\"",
                "{\"a\": 1, \"a\": 2}",
                "{} {}",
                "{\"hooks\": []}",
                "{\"hooks\": {\"Stop\": 1}}"
            })
    void an_invalid_file_is_refused_and_not_changed(String text) throws Exception {
        Files.writeString(settings, text);
        var before = snapshot();
        var refused = as("install", "claude-code", "--yes");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains(settings.toString(), "Nothing was changed");
        assertThat(snapshot()).isEqualTo(before);
        assertThat(backups(settings)).isEmpty();
    }

    @Test
    void a_file_that_became_invalid_is_not_reported_as_not_wired() throws Exception {
        as("install", "claude-code", "--yes").ok();
        Files.writeString(settings, Files.readString(settings).replaceFirst(",", ""));
        assertThat(as("uninstall", "claude-code", "--yes").err()).contains("is not valid JSON", "line 8");
        assertThat(as("doctor").out()).contains(settings + " is not valid JSON", "Correct the file");
    }

    @Test
    void a_foreign_server_of_the_same_name_is_left_alone() throws Exception {
        Files.writeString(servers, "{\"mcpServers\": {\"roost\": {\"command\": \"chicken-coop\"}}}");
        var codex = Files.createDirectories(user.resolve(".codex")).resolve("config.toml");
        for (var toml : List.of(
                "[mcp_servers.roost]\ncommand = \"chicken-coop\"\n",
                "[mcp_servers]\n\"roost\" = { command = \"chicken-coop\" }\n",
                "mcp_servers = {}\n",
                "a = \"unclosed\n",
                "[a\n",
                "what is this\n")) {
            Files.writeString(codex, toml);
            var before = snapshot();
            assertThat(as("install", "codex", "--yes").exit()).as(toml).isEqualTo(5);
            assertThat(as("install", "claude-code", "--yes").err()).contains("Roost did not write it");
            assertThat(snapshot()).isEqualTo(before);
            assertThat(as("uninstall", "claude-code").ok().out()).startsWith("Nothing to change");
        }
    }

    @Test
    void uninstall_keeps_later_tables_of_a_toml_file_and_removes_subtables() throws Exception {
        var file = Files.createDirectories(user.resolve(".codex")).resolve("config.toml");
        var text = """
                model = "gpt" # [not.a.table]
                notes = \"""
                [mcp_servers.roost] is not here
                \"""
                list = [
                  "a", # one
                  { b = 1979-05-27 07:32:00 },
                ]

                [projects."/a.b/c"]
                trust_level = 'trusted'
                """;
        Files.writeString(file, text);
        as("install", "codex", "--yes").ok();
        assertThat(Files.readString(file))
                .startsWith(text + "\n# Written by")
                .contains("\n[mcp_servers.roost]\ncommand = \"" + LAUNCHER + "\"\n");
        Files.writeString(
                file,
                Files.readString(file)
                        + "\n[mcp_servers.roost.tools.agent]\napproval_mode = \"approve\"\n\n# mine\n[projects.\"/d\"]\ntrust_level = \"trusted\"\n");
        assertThat(as("install", "codex").ok().out()).startsWith("Nothing to change");
        as("uninstall", "codex", "--yes").ok();
        assertThat(Files.readString(file)).isEqualTo(text + "\n# mine\n[projects.\"/d\"]\ntrust_level = \"trusted\"\n");
    }

    @Test
    void a_file_with_comments_is_not_edited_and_the_entries_are_printed() throws Exception {
        var file = Files.createDirectories(user.resolve(".config/opencode")).resolve("opencode.jsonc");
        Files.writeString(file, "{\n  // mine\n  \"theme\": \"dark\",\n}\n");
        var before = snapshot();
        var refused = as("install", "opencode", "--yes");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err())
                .contains(
                        "comments", "\"command\": [\"%s\", \"mcp\", \"--harness\", \"opencode\"]".formatted(LAUNCHER));
        assertThat(snapshot()).isEqualTo(before);

        var pasted =
                "{\n  // mine\n  \"mcp\": {\"roost\": {\"type\": \"local\", \"command\": [\"%s\", \"mcp\", \"--harness\", \"opencode\"], \"enabled\": true}}\n}\n";
        Files.writeString(file, pasted.formatted(LAUNCHER));
        as("install", "opencode", "--yes").ok();
        assertThat(user.resolve(".config/opencode/plugin/roost.js"))
                .hasSameTextualContentAs(Path.of("../integrations/opencode/roost.js"));
        assertThat(file).hasContent(pasted.formatted(LAUNCHER));
    }

    @Test
    void a_moved_launcher_is_rewritten_and_a_symbolic_link_is_kept() throws Exception {
        var dotfiles = Files.createDirectories(scratch.resolve("dotfiles")).resolve("settings.json");
        Files.writeString(dotfiles, "{\n  \"model\": \"opus\"\n}\n");
        Files.createSymbolicLink(settings, dotfiles);
        as("install", "claude-code", "--yes").ok();
        assertThat(settings).isSymbolicLink();
        Files.writeString(dotfiles, Files.readString(dotfiles).replace(LAUNCHER, "/old/place/roost"));
        assertThat(as("install", "claude-code", "--yes").ok().out())
                .contains("-            \"command\": \"/old/place/roost\",");
        assertThat(Files.readString(dotfiles)).doesNotContain("/old/place").contains(LAUNCHER);
        as("uninstall", "claude-code", "--yes").ok();
        assertThat(dotfiles).hasContent("{\n  \"model\": \"opus\"\n}");
        assertThat(settings).isSymbolicLink();
    }

    @Test
    void install_is_refused_if_the_plugin_is_enabled() throws Exception {
        Files.writeString(settings, "{\"enabledPlugins\": {\"roost@roost\": true}}");
        var refused = as("install", "claude-code", "--yes");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("roost@roost", "twice");
        assertThat(as("install", "emacs").exit()).isEqualTo(2);
    }

    @Test
    void install_asks_at_a_terminal() throws Exception {
        Files.writeString(servers, "{}");
        for (var answer : List.of("", "n\n", "y\n")) {
            var command = command("install", "claude-code");
            command.add(1, "-Droost.terminal.input=true");
            var builder = new ProcessBuilder(command);
            builder.environment().put("HOME", user.toString());
            builder.environment().remove("CLAUDE_CONFIG_DIR");
            var ran = finish(builder.start(), answer);
            assertThat(ran.err()).contains("Change these 3 files? [y/N]");
            assertThat(ran.exit()).isEqualTo(answer.equals("y\n") ? 0 : 5);
            assertThat(Files.exists(settings)).isEqualTo(answer.equals("y\n"));
        }
    }

    @Test
    void if_one_file_cannot_be_written_the_others_are_restored() throws Exception {
        Files.writeString(servers, "{}");
        Files.writeString(user.resolve(".claude/skills"), "not a directory");
        var before = snapshot();
        var failed = as("install", "claude-code", "--yes");
        assertThat(failed.exit()).isEqualTo(1);
        assertThat(failed.err()).contains("SKILL.md cannot be changed");
        assertThat(snapshot()).isEqualTo(before);
    }
}
