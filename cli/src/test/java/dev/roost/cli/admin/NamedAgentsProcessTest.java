package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.ScriptedAgentCliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Agents that people name: in their own file, and in a project's, which counts once a person trusts it. */
class NamedAgentsProcessTest extends ScriptedAgentCliFixture {

    private Path project;

    @BeforeEach
    void makeProject() throws IOException {
        project = scratch.resolve("project");
        Files.createDirectories(project.resolve(".git"));
        Files.createFile(project.resolve(".git/HEAD"));
        Files.createDirectories(project.resolve("src"));
    }

    private void says(String text) throws IOException {
        Files.writeString(project.resolve(".roost.toml"), text);
    }

    private Ran here(String... words) {
        return roostWith("", Map.of(), words);
    }

    private String sources() {
        return project.resolve("src").toString();
    }

    @Test
    void a_named_agent_is_what_config_toml_makes_of_it() throws Exception {
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
    void a_projects_agent_counts_once_a_person_trusts_that_content() throws Exception {
        says("""
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
        var unasked = here("trust", sources());
        assertThat(unasked.exit()).as("nobody said yes").isEqualTo(5);
        assertThat(unasked.out()).contains("[agents.tester]");

        assertThat(here("trust", "--yes", sources()).ok().out())
                .contains(project.resolve(".roost.toml").toRealPath().toString(), "Trusted");
        assertThat(here("run", "--wait", "--cwd", sources(), "--", "test").ok().out())
                .contains("hello from claude");
        assertThat(Files.readString(scratch.resolve("args"))).contains("--model\nhaiku\n");
        assertThat(here("trust", "--list").ok().out()).contains(".roost.toml");
        assertThat(Files.getPosixFilePermissions(home.resolve("trusted"))).hasSize(2);

        says("[agents.tester]\ndriver = \"claude\"\nargs = [\"--evil\"]\n");
        assertThat(here("run", "--agent", "tester", "--cwd", sources(), "--", "test")
                        .exit())
                .as("another content is another question")
                .isEqualTo(5);
        assertThat(here("trust", "--revoke", sources()).ok().out()).contains("Trust revoked");
        assertThat(here("trust", "--list").ok().out()).contains("No project is trusted");
    }

    @Test
    void a_project_tightens_untrusted_and_never_loosens() throws Exception {
        config("[agents.claude]\ndriver = \"claude\"\npermissions = \"edit\"\n");
        says("permissions = \"safe\"\nmax_tokens = 5000\nmax_turns = 3\n");
        var run = here("run", "--agent", "claude", "--max-tokens", "9000", "--json", "--cwd", sources(), "--", "look")
                .ok()
                .json();
        assertThat(run.path("max_tokens").asLong()).isEqualTo(5000);
        assertThat(run.path("max_turns").asInt()).isEqualTo(3);
        here("output", "--block", run.path("run_id").asString());
        assertThat(Files.readString(scratch.resolve("args"))).contains("--permission-mode\ndefault\n");

        says("[agents.tester]\ndriver = \"claude\"\npermissions = \"all\"\n");
        var refused = here("trust", "--yes", sources());
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("may not loosen").contains("agents.tester.permissions");

        says("max_live = 9\n");
        var unknown = here("run", "--cwd", sources(), "--", "true");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains(".roost.toml has an unknown setting: max_live");
        Files.delete(project.resolve(".roost.toml"));
        assertThat(here("trust", sources()).err()).contains("There is no .roost.toml");
    }

    @Test
    void what_would_hide_in_a_file_is_spelled_out() throws Exception {
        says("# harmless \u202e\n[agents.tester]\ndriver = \"claude\"\n");
        assertThat(here("trust", sources()).out())
                .contains("# harmless \\u202e")
                .doesNotContain("\u202e");
        says("# harmless \033[8m\n");
        var refused = here("trust", sources());
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains(".roost.toml is not valid TOML").doesNotContain("\033");
    }
}
