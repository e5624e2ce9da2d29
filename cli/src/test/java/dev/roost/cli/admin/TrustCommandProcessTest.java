package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.testing.OneCommitRepository;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A project's setup command runs only if a person has trusted the exact content of its file. */
class TrustCommandProcessTest extends CliFixture {

    private static final String SETUP = "[worktree]\nsetup = \"echo ready >prepared.log\"\ncopy = [\".env\"]\n";

    OneCommitRepository oneCommitRepository;

    @BeforeEach
    void makeRepository() throws Exception {
        oneCommitRepository = OneCommitRepository.in(scratch.resolve("shop"));
        oneCommitRepository.write(".gitignore", "*.log\n.env\n");
        oneCommitRepository.write(".env", "KEY=1\n");
        oneCommitRepository.write(".roost.toml", SETUP);
    }

    /** Files that a run finds in its new worktree. */
    private String files() {
        return roost(
                        "run",
                        "--worktree",
                        "--wait",
                        "--cwd",
                        oneCommitRepository.path().toString(),
                        "--",
                        "sh",
                        "-c",
                        "cat prepared.log .env 2>/dev/null; echo end")
                .ok()
                .out();
    }

    private String timeline() {
        var id = roost("ps", "--all", "--json")
                .ok()
                .json()
                .path("runs")
                .get(0)
                .path("run_id")
                .asString();
        return roost("show", id).ok().out();
    }

    @Test
    void a_setup_command_runs_only_while_the_trusted_content_is_unchanged() throws Exception {
        assertThat(files()).doesNotContain("ready").doesNotContain("KEY").contains("end");
        assertThat(timeline()).contains(".roost.toml is not trusted, so a fresh worktree gets none of what it says");

        roost("trust", oneCommitRepository.path().toString(), "--yes").ok();
        assertThat(files()).contains("ready").contains("KEY=1");

        oneCommitRepository.write(".roost.toml", SETUP + "link = [\"node_modules\"]\n");
        assertThat(files()).doesNotContain("ready").doesNotContain("KEY").contains("end");
    }
}
