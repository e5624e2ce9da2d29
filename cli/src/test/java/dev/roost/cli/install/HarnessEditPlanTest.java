package dev.roost.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Install and uninstall on differently formatted files. */
class HarnessEditPlanTest {

    private static final String LAUNCHER =
            Path.of("..", "roost").toAbsolutePath().normalize().toString();

    @TempDir
    Path user;

    private Path settings;
    private Path servers;

    @BeforeEach
    void aUser() throws IOException {
        settings = Files.createDirectories(user.resolve(".claude")).resolve("settings.json");
        servers = user.resolve(".claude.json");
    }

    private List<Harness> harnesses() {
        var paths = new HarnessPaths(
                Map.of("HOME", user.toString()),
                Path.of(LAUNCHER),
                Path.of("..").toAbsolutePath().normalize());
        return Harness.NAMES.stream().map(name -> Harness.of(name, paths)).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{ }\n",
                "{\n}\n",
                "{\n  \"model\": \"opus\",\n  \"hooks\": {}\n}\n",
                "{\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [ ]\n    }\n}",
                "{\n\t\"model\": \"opus\"\n}\n\n",
                "{\r\n  \"model\": \"opus\"\r\n}\r\n",
                "{\"model\":\"opus\",\"hooks\":{\"Stop\":[]}}",
                "{\"model\": \"opus\", \"x\": [1, {\"a\": \"}]\\\"\"}]}\n",
                "\uFEFF{\n  \"model\": \"opus\"\n}\n",
                """
                {
                  "hooks": {
                    "Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "say 'roost hook'"}]}],
                    "PreToolUse": [
                      { "matcher": "Bash",
                        "hooks": [ {"type":"command","command":"/usr/bin/roost-guard"} ] }
                    ]
                  },
                  "mcpServers" : {
                      "other": { "command": "x" } },
                  "model": "öpus \\u00e9"
                }
                """
            })
    void uninstall_restores_the_file_byte_for_byte(String text) throws Exception {
        var gemini = Files.createDirectories(user.resolve(".gemini")).resolve("settings.json");
        var codex = Files.createDirectories(user.resolve(".codex")).resolve("hooks.json");
        var opencode = Files.createDirectories(user.resolve(".config/opencode")).resolve("opencode.json");
        for (var file : List.of(settings, servers, gemini, codex, opencode)) Files.writeString(file, text);
        var before = InstallCommandProcessTest.snapshot(user);
        for (var harness : harnesses()) {
            HarnessEditPlan.install(harness).apply(Instant.now());
            assertThat(HarnessEditPlan.install(harness).changes()).isEmpty();
        }
        assertThat(DaemonClient.JSON
                        .readTree(Files.readString(settings).replace("\uFEFF", ""))
                        .path("hooks")
                        .path("Stop")
                        .size())
                .isPositive();
        for (var harness : harnesses()) {
            HarnessEditPlan.uninstall(harness).apply(Instant.now());
            assertThat(HarnessEditPlan.uninstall(harness).changes()).isEmpty();
        }
        assertThat(InstallCommandProcessTest.snapshot(user)).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({
        "codex, CODEX_HOME, hooks.json",
        "codex, CODEX_HOME, config.toml",
        "claude-code, CLAUDE_CONFIG_DIR, settings.json",
        "gemini, GEMINI_CLI_HOME, .gemini/settings.json"
    })
    void the_harness_variable_names_the_directory_that_is_changed(String harness, String variable, String file) {
        var elsewhere = user.resolve("elsewhere");
        var paths = new HarnessPaths(
                Map.of("HOME", user.toString(), variable, elsewhere.toString()),
                Path.of(LAUNCHER),
                Path.of("..").toAbsolutePath().normalize());
        assertThat(HarnessEditPlan.install(Harness.of(harness, paths)).changes())
                .extracting(HarnessEditPlan.FileChange::path)
                .contains(elsewhere.resolve(file).toString())
                .allMatch(path -> path.startsWith(elsewhere.toString()));
    }

    @Test
    void the_plugin_has_the_entries_that_install_writes() throws Exception {
        var plugin = Path.of("../integrations/claude-code");
        var paths = new HarnessPaths(
                Map.of("HOME", user.toString()),
                Path.of(LAUNCHER),
                Path.of("..").toAbsolutePath().normalize());
        HarnessEditPlan.install(Harness.of("claude-code", paths)).apply(Instant.now());
        assertThat(DaemonClient.JSON
                        .readTree(Files.readString(settings).replace(LAUNCHER, "roost"))
                        .path("hooks"))
                .isEqualTo(DaemonClient.JSON
                        .readTree(Files.readString(plugin.resolve("hooks/hooks.json")))
                        .path("hooks"));
        assertThat(DaemonClient.JSON.readTree(Files.readString(servers).replace(LAUNCHER, "roost")))
                .isEqualTo(DaemonClient.JSON.readTree(Files.readString(plugin.resolve(".mcp.json"))));
        assertThat(Files.readAllLines(plugin.resolve("skills/roost/SKILL.md"))).hasSizeLessThan(80);
        for (var harness : harnesses())
            for (var edit : harness.edits())
                if (edit instanceof HarnessFileEdit.FileCopy copy)
                    assertThat(copy.content()).contains(copy.mark());
    }
}
