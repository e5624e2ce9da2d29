package dev.roost.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code roost doctor} on harnesses: it runs the commands from their files. */
class HarnessCheckProcessTest extends CliFixture {

    private Path user;
    private Path launcher;

    /** A launcher that can be moved, beside a copy of Roost's files. */
    @BeforeEach
    void aUser() throws IOException {
        user = Files.createDirectories(scratch.resolve("user"));
        launcher = script("opt/roost", "");
        aLauncherThatWorks();
        Files.createSymbolicLink(
                scratch.resolve("opt/integrations"), Path.of("../integrations").toRealPath());
        script("bin/claude", "echo '2.1.325 (Claude Code)'");
        script("bin/codex", "echo 'codex-cli 0.166.0'");
    }

    private void aLauncherThatWorks() throws IOException {
        script("opt/roost", "exec '%s' \"$@\"".formatted(String.join("' '", bridgeCommand())));
    }

    private Path script(String name, String text) throws IOException {
        var file = scratch.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private Ran as(String... words) throws IOException {
        var command = command(words);
        command.replaceAll(word -> word.startsWith("-Droost.launcher=") ? "-Droost.launcher=" + launcher : word);
        var builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("(CLAUDE|CODEX|GEMINI|OPENCODE|ROOST).*"));
        builder.environment()
                .putAll(Map.of(
                        "HOME", user.toString(),
                        "ROOST_HOME", home.toString(),
                        "XDG_CONFIG_HOME", user.resolve(".config").toString(),
                        "PATH", scratch.resolve("bin") + ":/usr/bin:/bin"));
        return finish(builder.start(), "");
    }

    private JsonNode finding(String harness) throws IOException {
        var all = as("doctor", "--json").json().path("findings");
        return all.valueStream()
                .filter(one -> one.path("what").asString().equals(harness))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void the_doctor_suggests_install_and_afterwards_tests_the_entries() throws Exception {
        var before = as("doctor").ok();
        assertThat(before.out())
                .contains("claude 2.1.325; Roost is not wired in", "→ roost install claude-code")
                .contains("gemini is not on the PATH; Roost is not wired in")
                .doesNotContain("→ roost install gemini");
        assertThat(finding("codex").path("level").asString()).isEqualTo("info");

        for (var harness : Harness.NAMES) as("install", harness, "--yes").ok();
        var after = as("doctor").ok();
        assertThat(after.out())
                .containsPattern(
                        "✓  claude-code +claude 2.1.325; its hooks answer \\(\\d+ ms\\); its server offers all five tools \\(\\d+ ms\\)")
                .containsPattern("✓  opencode +opencode is not on the PATH; its server offers all five tools")
                .containsPattern("✓  gemini +gemini is not on the PATH; its hooks answer")
                .containsPattern("!  codex +codex 0.166.0; Codex does not trust Roost's hooks yet");
        trustInCodex();
        assertThat(finding("codex").path("message").asString())
                .contains("its hooks answer", "its server offers all five tools");
        assertThat(as("ps", "--all", "--json").ok().json().path("runs")).isEmpty();
    }

    private void trustInCodex() throws IOException {
        var codex = user.resolve(".codex");
        var trust = new StringBuilder();
        for (var event : List.of("session_start", "user_prompt_submit", "post_tool_use", "stop", "session_end"))
            trust.append("\n[hooks.state.\"%s:%s:0:0\"]\ntrusted_hash = \"sha256:00\"\n"
                    .formatted(codex.resolve("hooks.json"), event));
        var file = codex.resolve("config.toml");
        Files.writeString(file, Files.readString(file) + trust);
    }

    @Test
    void an_invalid_file_is_reported_with_a_fix() throws Exception {
        for (var harness : List.of("claude-code", "gemini"))
            as("install", harness, "--yes").ok();
        var settings = List.of(user.resolve(".claude.json"), user.resolve(".gemini/settings.json"));
        for (var file : settings) Files.writeString(file, "{ \"a\": ");
        for (int i = 0; i < 2; i++) {
            var finding = finding(i == 0 ? "claude-code" : "gemini");
            assertThat(finding.path("message").asString())
                    .contains(settings.get(i) + " is not valid JSON", "line 1")
                    .doesNotContain("[Source");
            assertThat(finding.path("fix").asString()).isNotBlank();
        }
    }

    @Test
    void a_broken_entry_is_reported() throws Exception {
        as("install", "claude-code", "--yes").ok();
        assertThat(finding("claude-code").path("level").asString()).isEqualTo("good");
        script("opt/roost", "exit 3");
        var broken = as("doctor");
        assertThat(broken.exit()).isEqualTo(1);
        assertThat(broken.out()).contains("✗  claude-code", "hook claude-code SessionStart` ends with exit status 3");
        script(
                "opt/roost",
                "[ \"$1\" = hook ] || while read -r line; do echo '{\"result\": {\"tools\": [{\"name\": \"eggs\"}]}}'; done");
        assertThat(finding("claude-code").path("message").asString()).contains("offers eggs instead of the five tools");

        aLauncherThatWorks();
        Files.createDirectories(scratch.resolve("new"));
        launcher = Files.move(launcher, scratch.resolve("new/roost"));
        Files.createSymbolicLink(
                scratch.resolve("new/integrations"), Path.of("../integrations").toRealPath());
        assertThat(finding("claude-code").path("message").asString()).contains("its entries are outdated");
        assertThat(finding("claude-code").path("level").asString()).isEqualTo("warning");

        assertThat(as("doctor", "--fix").ok().out())
                .contains("entries rewritten, with a backup in", "its server offers all five tools");
        assertThat(finding("claude-code").path("level").asString()).isEqualTo("good");
        assertThat(user.resolve(".codex"))
                .as("a harness without entries is left alone")
                .doesNotExist();
    }

    @Test
    void fix_restores_a_deleted_file_and_reports_no_backup() throws Exception {
        as("install", "claude-code", "--yes").ok();
        Files.delete(user.resolve(".claude/skills/roost/SKILL.md"));
        assertThat(finding("claude-code").path("message").asString()).contains("its entries are outdated");
        assertThat(as("doctor", "--fix").ok().out())
                .contains("entries rewritten; its hooks answer")
                .doesNotContain("is kept as");
        assertThat(user.resolve(".claude/skills/roost/SKILL.md")).exists();
    }
}
