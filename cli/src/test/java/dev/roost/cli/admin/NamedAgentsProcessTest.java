package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.ScriptedAgentCliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Named agents from config.toml, and from a project's file, which needs a person's trust. */
class NamedAgentsProcessTest extends ScriptedAgentCliFixture {

    private Path project;

    @BeforeEach
    void makeProject() throws IOException {
        project = scratch.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        Files.createFile(project.resolve(".git/HEAD"));
        Files.createDirectories(project.resolve("src"));
    }

    private void writeProjectFile(String text) throws IOException {
        Files.writeString(project.resolve(".roost.toml"), text);
    }

    private Ran here(String... words) {
        return roostWith("", Map.of(), words);
    }

    private String sources() {
        return project.resolve("src").toString();
    }

    @Test
    void a_named_agent_has_the_settings_from_config_toml() throws Exception {
        config("""
                default_agent = "reviewer"

                [agents.reviewer]
                driver = "claude"
                model = "sonnet"
                args = ["--add-dir", "/srv"]
                permissions = "edit"
                system_prompt = "You review."
                max_turns = 9
                env = { REVIEW = "strict" }
                """);
        assertThat(here("run", "--wait", "--name", "first", "--", "look").ok().out())
                .contains("hello from claude");
        assertThat(Files.readString(scratch.resolve("args")))
                .contains("--model\nsonnet\n", "--add-dir\n/srv\n", "--permission-mode\nacceptEdits\n")
                .contains("--append-system-prompt\nYou review.\n");
        assertThat(Files.readString(scratch.resolve("variables"))).contains("REVIEW=strict");
        var shown = here("show", "first", "--json").ok().json();
        assertThat(shown.path("agent").asString()).isEqualTo("reviewer");
        assertThat(shown.path("driver").asString()).isEqualTo("claude");
        assertThat(here("agents").ok().out()).containsPattern("reviewer \\(default\\) +claude .* edit ");
        assertThat(here("run", "--wait", "--agent", "command", "--", "echo", "plain")
                        .ok()
                        .out())
                .isEqualTo("plain\n");
    }

    @Test
    void a_projects_agent_needs_a_persons_trust_in_the_content() throws Exception {
        writeProjectFile("""
                default_agent = "tester"
                [agents.tester]
                driver = "claude"
                model = "haiku"
                """);
        var refused = here("run", "--agent", "tester", "--cwd", sources(), "--", "test");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("which is not trusted").contains("roost trust");
        assertThat(here("run", "--agent", "tester", "--cwd", sources(), "--json", "--", "test")
                        .json()
                        .path("error")
                        .path("code")
                        .asString())
                .isEqualTo("untrusted_project");
        var ignored = here("run", "--wait", "--cwd", sources(), "--", "echo", "hello");
        assertThat(ignored.ok().out()).as("its default agent is ignored too").isEqualTo("hello\n");
        assertThat(ignored.err()).contains("not trusted, so its agents are ignored; `roost trust`");

        for (var inside : new String[] {"ROOST_RUN_ID", "CLAUDECODE", "OPENCODE"}) {
            var byAgent = coldWith("", Map.of(inside, "1"), "trust", "--yes", sources());
            assertThat(byAgent.exit()).as(inside).isEqualTo(5);
            assertThat(byAgent.err()).contains("Only a person");
        }
        var unconfirmed = here("trust", sources());
        assertThat(unconfirmed.exit()).as("not confirmed").isEqualTo(5);
        assertThat(unconfirmed.out()).contains("[agents.tester]");

        assertThat(here("trust", "--yes", sources()).ok().out())
                .contains(project.resolve(".roost.toml").toRealPath().toString(), "Trusted");
        assertThat(here("run", "--wait", "--cwd", sources(), "--", "test").ok().out())
                .contains("hello from claude");
        assertThat(Files.readString(scratch.resolve("args"))).contains("--model\nhaiku\n");
        assertThat(here("trust", "--list").ok().out()).contains(".roost.toml");
        assertThat(Files.getPosixFilePermissions(home.resolve("trusted"))).hasSize(2);

        writeProjectFile("[agents.tester]\ndriver = \"claude\"\nargs = [\"--evil\"]\n");
        assertThat(here("run", "--agent", "tester", "--cwd", sources(), "--", "test")
                        .exit())
                .as("changed content needs new trust")
                .isEqualTo(5);
        assertThat(here("trust", "--revoke", sources()).ok().out()).contains("Trust revoked");
        assertThat(here("trust", "--list").ok().out()).contains("No project is trusted");
    }

    @Test
    void an_untrusted_project_file_can_tighten_limits_and_never_loosen_them() throws Exception {
        config("[agents.claude]\ndriver = \"claude\"\npermissions = \"edit\"\n");
        writeProjectFile("permissions = \"safe\"\nmax_tokens = 5000\nmax_turns = 3\n");
        var run = here("run", "--agent", "claude", "--max-tokens", "9000", "--json", "--cwd", sources(), "--", "look")
                .ok()
                .json();
        assertThat(run.path("max_tokens").asLong()).isEqualTo(5000);
        assertThat(run.path("max_turns").asInt()).isEqualTo(3);
        here("output", "--block", run.path("run_id").asString());
        assertThat(Files.readString(scratch.resolve("args"))).contains("--permission-mode\ndefault\n");

        writeProjectFile("[agents.tester]\ndriver = \"claude\"\npermissions = \"all\"\n");
        var refused = here("trust", "--yes", sources());
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("may not loosen").contains("agents.tester.permissions");

        writeProjectFile("max_live = 9\n");
        var unknown = here("run", "--cwd", sources(), "--", "true");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains(".roost.toml has an unknown setting: max_live");
        Files.delete(project.resolve(".roost.toml"));
        assertThat(here("trust", sources()).err()).contains("There is no .roost.toml");
    }

    @Test
    void control_characters_in_a_project_file_are_escaped() throws Exception {
        writeProjectFile("# harmless \u202e\n[agents.tester]\ndriver = \"claude\"\n");
        assertThat(here("trust", sources()).out())
                .contains("# harmless \\u202e")
                .doesNotContain("\u202e");
        writeProjectFile("# harmless \033[8m\n");
        var refused = here("trust", sources());
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains(".roost.toml is not valid TOML").doesNotContain("\033");
    }
}
