package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.conformance.testing.Distribution;
import dev.roost.conformance.testing.MinimalDebian;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Installs the packages of {@code ./build dist} as an ordinary user on a machine without Java, Maven and git. */
@Timeout(300)
@EnabledIfSystemProperty(named = "roost.dist", matches = "/.+", disabledReason = "./check builds it first")
class DistributionInstallProcessTest {

    private static final String SELF_CONTAINED = "roost-.*-linux-.*";
    private static final String JARS = "roost-[0-9.]+\\.tar\\.gz";
    private static final String UNINSTALL = "~/.local/lib/roost/current/uninstall";

    @Test
    void the_archive_installs_into_a_harness_and_uninstalls_leaving_only_data() throws Exception {
        var claude = Path.of(AgentCliCatalog.command(AgentCliCatalog.CLAUDE).getFirst());
        try (var model = ScriptedModel.start();
                var machine = MinimalDebian.fresh(Map.of("/opt/claude/claude", claude))) {
            machine.give(Distribution.file(SELF_CONTAINED));
            machine.annGets("tar xf roost-*.tar.gz");
            var before = machine.files("home/ann");

            assertThat(machine.annGets("roost-*/bin/roost --version"))
                    .as("installed")
                    .startsWith("roost ");
            assertThat(machine.annGets("roost-*/install"))
                    .contains("/home/ann/.local/bin/roost", "roost demo", "roost install claude-code", "uninstall")
                    .doesNotContain("not in your PATH");
            assertThat(machine.annGets("roost")).contains("You have no runs yet", "roost demo");
            assertThat(machine.annGets("PATH=$PATH:/opt/claude roost")).contains("roost install claude-code");
            assertThat(machine.annGets("roost run --wait -- echo hello")).contains("hello", "completed");
            assertThat(machine.annGets("roost demo")).doesNotContain("✗ a new daemon", "promise was broken");

            assertThat(machine.annGets("cat .local/lib/roost/current/docs/cluster.md"))
                    .as("the paths in hints exist")
                    .contains("integrations/postgresql/roles.sql");
            machine.annGets("cat .local/lib/roost/current/integrations/postgresql/roles.sql");

            machine.annGets("PATH=$PATH:/opt/claude roost install claude-code --yes");
            assertThat(machine.annGets("cat .claude.json"))
                    .as("a path without the version")
                    .contains("\"/home/ann/.local/bin/roost\"");
            var session = machine.ann(
                    claudeSettings(model),
                    "echo 'MARK SCRIPT=bash?cmd=sleep%202|done' | claude -p --output-format json");
            assertThat(session.exit()).as(session.text()).isZero();
            assertThat(model.asked().getLast().modelRequest().tools())
                    .extracting(tool -> tool.name())
                    .contains("mcp__roost__agent", "mcp__roost__agent_output");

            assertThat(machine.ann(UNINSTALL).text()).as("asks first").contains("wired into: claude-code", "--yes");
            assertThat(machine.annGets("roost --version")).startsWith("roost ");
            assertThat(machine.annGets(UNINSTALL + " --yes"))
                    .contains("removed from /home/ann/.local", "/home/ann/.local/state/roost");

            var left = new TreeSet<>(machine.files("home/ann"));
            left.removeAll(before);
            left.removeIf(file -> file.startsWith(".local/state") || file.equals(".local"));
            left.removeIf(file -> file.matches("\\.claude.*|\\.cache(/claude-cli-.*)?")); // files of the harness itself
            assertThat(left).isEmpty();
            assertThat(machine.ann(
                                    "grep -ls bin/roost .claude.json .claude/settings.json; find .claude -path '*roost/*'")
                            .text())
                    .doesNotContain(".claude.json", "settings.json", "SKILL.md");
            assertThat(machine.ann("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").text())
                    .doesNotContain("dev.roost");
        }
    }

    private static Map<String, String> claudeSettings(ScriptedModel model) {
        var variables = new HashMap<>(AgentCliCatalog.CLAUDE.environment(Path.of("/home/ann"), model.address()));
        variables.put("PATH", "/opt/claude:/usr/bin:/bin");
        return variables;
    }

    @Test
    void a_run_survives_an_upgrade_and_prevents_uninstalling() throws Exception {
        try (var machine = MinimalDebian.fresh(Map.of())) {
            machine.give(Distribution.file(SELF_CONTAINED));
            machine.annGets("tar xf roost-*.tar.gz && roost-*/install");
            machine.annGets(
                    "roost run --name long -- sh -c 'echo $$ >pid; until [ -e go ]; do sleep 0.1; done; echo home'");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> machine.ann("test -s pid").exit() == 0);

            machine.annGets("cp -Rp roost-*[0-9] newer && echo 9.9.9-12345678 >newer/id"
                    + " && sed -i s/^roost_version=.*/roost_version=9.9.9/ newer/launch/start.sh");
            assertThat(machine.annGets("newer/install")).contains("roost 9.9.9 is installed", "its runs continue");

            assertThat(machine.annGets("roost daemon status")).contains("1 live (version 9.9.9)");
            assertThat(machine.annGets("ls .local/lib/roost"))
                    .as("the older version is removed")
                    .containsOnlyOnce("9.9.9-12345678");
            var refused = machine.ann(UNINSTALL);
            assertThat(refused.exit()).isEqualTo(5);
            assertThat(refused.text()).contains("Runs are live: 1");

            machine.annGets("kill -0 $(cat pid) && touch go");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> machine.annGets("roost show long").contains("completed"));
            assertThat(machine.annGets("roost output long")).contains("home");
            machine.annGets(UNINSTALL);
        }
    }

    @Test
    void uninstalling_is_refused_if_live_runs_or_settings_cannot_be_checked() throws Exception {
        try (var machine = MinimalDebian.fresh(Map.of())) {
            machine.give(Distribution.file(SELF_CONTAINED));
            machine.annGets("tar xf roost-*.tar.gz && roost-*/install && roost install claude-code --yes");
            machine.annGets("roost run --wait -- true && roost daemon stop");
            machine.annGets("mkdir -p .config/roost && echo nonsense >.config/roost/config.toml");

            var unstarted = machine.ann(UNINSTALL + " --yes");
            assertThat(unstarted.exit()).isEqualTo(5);
            assertThat(unstarted.text()).contains("config.toml", "it is unknown whether runs are live", "--force");

            machine.annGets("sed -i '1s|^|// mine\\n|' .claude/settings.json");
            var unreadable = machine.ann(UNINSTALL + " --yes --force");
            assertThat(unreadable.exit()).isEqualTo(5);
            assertThat(unreadable.text()).contains(".claude/settings.json", "nothing was removed");

            machine.annGets("sed -i 1d .claude/settings.json && roost --version");
            assertThat(machine.annGets(UNINSTALL + " --yes --force")).contains("Roost is removed");
            assertThat(machine.ann("cat .claude.json .claude/settings.json").text())
                    .doesNotContain("bin/roost");
        }
    }

    @Test
    void an_interrupted_installation_can_be_repeated_and_directories_may_be_links() throws Exception {
        try (var machine = MinimalDebian.fresh(Map.of())) {
            machine.give(Distribution.file(SELF_CONTAINED));
            machine.annGets("tar xf roost-*.tar.gz && mkdir -p dotfiles/bin dotfiles/man .local/share"
                    + " && ln -s ../dotfiles/bin .local/bin && ln -s ../../dotfiles/man .local/share/man");
            var interrupted = machine.ann("roost-*/install & install=$!;"
                    + " until ls -d .local/lib/roost/.new-* || ! kill -0 $install; do :; done 2>/dev/null;"
                    + " kill -TERM $install; wait $install");
            assertThat(interrupted.exit()).as(interrupted.text()).isEqualTo(130);
            assertThat(machine.ann("ls -A .local/lib/roost").text()).isEmpty();

            machine.annGets("roost-*/install --prefix .local/");
            assertThat(machine.annGets("roost --version && cat .local/share/man/man1/roost.1"))
                    .startsWith("roost ");
            machine.annGets(UNINSTALL);
            assertThat(machine.ann("find dotfiles .local ! -type d ! -type l; find dotfiles -type l")
                            .text())
                    .doesNotContain("roost.1", "lib/roost");
        }
    }

    @Test
    void the_debian_package_works_for_an_ordinary_user_and_is_removed_completely() throws Exception {
        try (var machine = MinimalDebian.fresh(Map.of("/roost.deb", Distribution.file(".*\\.deb")))) {
            var before = machine.files("usr");
            var installed = machine.administrator("dpkg -i /roost.deb");
            assertThat(installed.exit()).as(installed.text()).isZero();

            assertThat(machine.annGets("roost run --wait -- echo hello")).contains("hello", "completed");
            machine.annGets("roost install claude-code --yes");
            assertThat(machine.annGets("cat .claude.json")).contains("\"/usr/bin/roost\"");
            assertThat(machine.annGets("cat /usr/lib/systemd/user/roost.service"))
                    .contains("ExecStart=/usr/bin/roost daemon run\n");
            machine.annGets("cd /usr/share/doc/roost && cat docs/cluster.md integrations/postgresql/roles.sql");
            assertThat(machine.administrator("dpkg --verify roost").text()).isEmpty();
            var removed = machine.administrator("dpkg -r roost");

            assertThat(removed.exit()).as(removed.text()).isZero();
            assertThat(removed.text()).doesNotContain("not removed");
            var left = machine.files("usr");
            left.removeAll(before);
            assertThat(left).isEmpty();
            assertThat(machine.files("home/ann")).as("her data is kept").contains(".local/state/roost/roost.db");
        }
    }

    @Test
    void the_jars_run_on_an_installed_java_and_report_a_missing_one() throws Exception {
        var java = Path.of(System.getProperty("java.home")).toRealPath();
        try (var machine = MinimalDebian.fresh(Map.of("/opt/java/25", java))) {
            machine.give(Distribution.file(JARS));
            machine.annGets("tar xf roost-*.tar.gz && roost-*/install");

            assertThat(machine.annGets("roost run --wait -- echo hello")).contains("hello", "completed");
            machine.annGets("roost daemon stop");
            machine.annGets(UNINSTALL);
        }
        try (var machine = MinimalDebian.fresh(Map.of())) {
            machine.give(Distribution.file(JARS));
            var printed = machine.ann("tar xf roost-*.tar.gz && roost-*/bin/roost --version");
            assertThat(printed.exit()).isEqualTo(4);
            assertThat(printed.text()).contains("needs Java 25", "self-contained");
        }
    }
}
