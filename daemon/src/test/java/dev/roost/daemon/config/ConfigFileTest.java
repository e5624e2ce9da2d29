package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.agents.Permissions;
import dev.roost.base.BadInput;
import dev.roost.config.EngineConfig;
import dev.roost.config.PausePolicy;
import dev.roost.config.WakePolicy;
import dev.roost.config.WorktreePolicy;
import dev.roost.daemon.testing.ConfigFileFixture;
import dev.roost.model.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reading config.toml and prices.toml, and their errors. */
class ConfigFileTest extends ConfigFileFixture {

    @Test
    void an_empty_file_gives_the_defaults() {
        var config = load("", Map.of());
        assertThat(config.quietAfter()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.maxQuiet()).isEmpty();
        assertThat(config.maxAttempts()).isEqualTo(3);
        assertThat(config.questionPolicy())
                .isEqualTo(new EngineConfig.QuestionPolicy(false, Optional.of(Duration.ofHours(1))));
        assertThat(config.defaultAgent()).isEmpty();
        assertThat(config.agents()).isEmpty();
    }

    @Test
    void an_error_names_line_and_column_or_the_variable() {
        refused("max_depth = 1\nmax_live = \"many\"", "config.toml, line 2, column 1");
        refused("\n\n  max_live = 0", "config.toml, line 3, column 3");
        refused("max_depth = 1\n[budget]\ncost = 1", "budget.cost, at line 3, column 1");
        refused("max_quiet = \"30\"", "config.toml, line 1, column 1");
        refused("[agents.x]\nmodel = \"m\"", "no driver", "config.toml, line 1, column 1");
        refused("[agents.\"a b\"]\ndriver = \"claude\"", "cannot be used", "line 1, column 1");
        refused("[agents.x]\ndriver = \"command\"\nmodel = \"m\"", "config.toml, line 3, column 1");
        refused("max_live = = 3", "line 1, column 12");
        refused("max_live = 3\ncheckpoint_max_file = \"big\"", "is not a size", "config.toml, line 2, column 1");
        assertThatThrownBy(() -> load("max_live = 3", Map.of("ROOST_MAX_LIVE", "many")))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).isEqualTo("Correct it in ROOST_MAX_LIVE."));
    }

    @Test
    void the_grace_must_leave_enough_time_for_the_guard() {
        var node = "ledger = \"postgresql://h/d\"\n[node]\nname = \"a\"\nlease = \"%s\"\ngrace = \"%s\"";
        assertThat(surfaces(node.formatted("3s", "7s"), Map.of())
                        .node()
                        .orElseThrow()
                        .guardDelay())
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(surfaces(node.formatted("10s", "20s"), Map.of()).node()).isPresent();
        assertThatThrownBy(() -> surfaces(node.formatted("10s", "19s"), Map.of()))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("node.grace is not 20 s or more with a lease of 10 s");
        assertThatThrownBy(() -> surfaces(node.formatted("1s", "3s"), Map.of()))
                .isInstanceOf(BadInput.class)
                .hasMessageContaining("node.grace is not 7 s or more with a lease of 1 s");
    }

    @Test
    void an_agent_may_require_tags_of_its_node() {
        var agents = load("[agents.big]\ndriver = \"claude\"\non = [\"gpu\"]", Map.of())
                .agents();
        assertThat(Objects.requireNonNull(agents.get("big")).requiredTags()).containsExactly("gpu");
        refused("[agents.big]\ndriver = \"claude\"\non = [\"a tag\"]", "agents.big.on", "a list of tags");
    }

    @Test
    void checkpoint_settings_are_read_and_ignored_files_are_never_pushed() {
        var config = load("""
                checkpoint_every = "90s"
                checkpoint_remote = "backup"
                checkpoint_max_file = "5MB"
                [worktree]
                setup = "npm ci"
                copy = [".env"]
                link = ["node_modules"]
                [pause]
                on_pause = ["push-all", "--now"]
                deadline = "4s"
                """, Map.of("ROOST_CHECKPOINT_EVERY", "2m"));
        assertThat(config.worktreePolicy())
                .isEqualTo(new WorktreePolicy(
                        new WorktreePolicy.SetupPolicy(Optional.of("npm ci"), List.of(".env"), List.of("node_modules")),
                        Duration.ofMinutes(2),
                        Optional.of("backup"),
                        5L << 20,
                        false));
        assertThat(config.pausePolicy())
                .isEqualTo(new PausePolicy(List.of("push-all", "--now"), List.of(), Duration.ofSeconds(4)));
        refused("checkpoint_remote = \"origin\"\ncheckpoint_ignored = true", "checkpoint_ignored", "never pushed");
        refused("[worktree]\ncopy = [\"../secrets\"]", "worktree.copy", "inside the repository");
        refused("[worktree]\nlink = [\"/etc/passwd\"]", "worktree.link", "inside the repository");
        refused("[worktree]\ncopy = [\".git/config\"]", "worktree.copy");
        refused("[pause]\non_pause = \"sync\"", "pause.on_pause", "list");
    }

    @Test
    void every_setting_is_read() {
        var config = load("""
                default_agent = "reviewer"
                quiet_after = "5m"
                max_quiet = "2h"
                max_attempts = 5
                [permissions]
                parent_may_approve = true
                timeout = "never"
                [budget]
                max_cost_usd_per_owner_per_day = 20
                max_tokens_per_owner_per_day = 5000000
                [agents.reviewer]
                driver = "claude"
                command = ["nice", "claude"]
                model = "opus"
                args = ["--x"]
                permissions = "all"
                system_prompt = "Be brief."
                env = { A = "1" }
                max_time = "30m"
                max_tokens = 100000
                max_cost_usd = 2.5
                max_turns = 40
                [agents.command]
                driver = "command"
                max_time = "1h"
                """, Map.of());
        assertThat(config.defaultAgent()).contains("reviewer");
        assertThat(config.quietAfter()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.maxQuiet()).contains(Duration.ofHours(2));
        assertThat(config.maxAttempts()).isEqualTo(5);
        assertThat(config.questionPolicy()).isEqualTo(new EngineConfig.QuestionPolicy(true, Optional.empty()));
        assertThat(config.dailyBudget().maxCostMicros()).contains(20_000_000L);
        assertThat(config.dailyBudget().maxTokens()).contains(5_000_000L);
        var reviewer = Objects.requireNonNull(config.agents().get("reviewer"));
        assertThat(reviewer.profile().command()).isEqualTo(List.of("nice", "claude"));
        assertThat(reviewer.profile().permissions()).isEqualTo(Permissions.ALL);
        assertThat(reviewer.profile().systemPrompt()).contains("Be brief.");
        assertThat(reviewer.profile().environment()).isEqualTo(Map.of("A", "1"));
        assertThat(reviewer.budget().maxTime()).contains(Duration.ofMinutes(30));
        assertThat(reviewer.budget().maxCostMicros()).contains(2_500_000L);
        assertThat(reviewer.budget().maxTurns()).contains(40);
        assertThat(config.agents()).containsKey("command");
    }

    @Test
    void the_environment_overrides_single_values_of_the_file() {
        var config = load(
                "quiet_after = \"5m\"\n[permissions]\nparent_may_approve = true\n",
                Map.of(
                        "ROOST_QUIET_AFTER", "1m",
                        "ROOST_DEFAULT_AGENT", "claude",
                        "ROOST_PERMISSIONS_PARENT_MAY_APPROVE", "false",
                        "ROOST_PERMISSIONS_TIMEOUT", "10m",
                        "ROOST_BUDGET_MAX_COST_USD_PER_OWNER_PER_DAY", "7.25"));
        assertThat(config.quietAfter()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.defaultAgent()).contains("claude");
        assertThat(config.questionPolicy())
                .isEqualTo(new EngineConfig.QuestionPolicy(false, Optional.of(Duration.ofMinutes(10))));
        assertThat(config.dailyBudget().maxCostMicros()).contains(7_250_000L);
    }

    @Test
    void invalid_values_are_named() {
        refused("quiet_after = 10", "quiet_after=10 has no unit");
        refused("quiet_after = [1]", "quiet_after is not a duration");
        refused("default_agent = \"clippy\"", "default_agent is not the name of an agent");
        refused("max_attempts = 0", "max_attempts is not a whole number");
        refused("permissions = \"all\"", "permissions is not a table");
        refused("[permissions]\nparent_may_approve = \"perhaps\"", "parent_may_approve is not true or false");
        refused("[budget]\nmax_cost_usd_per_owner_per_day = \"lots\"", "an amount of dollars", "line 2, column 1");
        refused("[agents]\nreviewer = 3", "agents.reviewer is not a table");
        refused("[agents.x]\ndriver = \"cobol\"", "agents.x.driver is not one of command");
        refused("[agents.x]\ndriver = \"claude\"\npermissions = \"some\"", "agents.x.permissions is not one of safe");
        refused("[agents.x]\ndriver = \"claude\"\nargs = \"--x\"", "agents.x.args is not a list of strings");
        refused("[agents.x]\ndriver = \"claude\"\ncommand = []", "agents.x.command is not a list of strings that");
        refused("[agents.x]\ndriver = \"claude\"\nenv = { A = 1 }", "agents.x.env.A is not a string");
        refused("[agents.x]\ndriver = \"claude\"\nenv = { ROOST_RUN_ID = \"r\" }", "agents.x.env.ROOST_RUN_ID");
        refused("[agents.x]\ndriver = \"claude\"\nmax_cost_usd = -1", "agents.x.max_cost_usd is not an amount");
        otherwise("[agents.x]\nmodel = \"opus\"", "\"x\" has no driver", "driver = one of");
        otherwise("[agents.x]\ndriver = \"claude\"\nmodle = \"opus\"", "unknown setting: agents.x.modle", "model");
        otherwise("[agents.\"a b\"]\ndriver = \"claude\"", "\"a b\" cannot be used");
        otherwise("[agents.command]\ndriver = \"claude\"", "\"command\" must have the driver command");
        otherwise("[agents.x]\ndriver = \"command\"\nmodel = \"opus\"", "does not use the setting agents.x.model");
        otherwise("[budget]\nmax = 1", "unknown setting: budget.max");
    }

    private void otherwise(String text, String... says) {
        assertThatThrownBy(() -> load(text, Map.of()))
                .isInstanceOfSatisfying(
                        BadInput.class,
                        e -> assertThat(e.sentence() + " " + e.hint()).contains(says));
    }

    @Test
    void built_in_prices_are_overridden_by_the_users() throws Exception {
        var used = new Usage(1_000_000, 1_000_000, 1_000_000, Optional.empty(), 1);
        assertThat(load("", Map.of()).prices().cost("gpt-5-mini-2025-08-07", used))
                .contains(2_275_000L);
        assertThat(load("", Map.of()).prices().cost("somebody-elses", used)).isEmpty();
        Files.writeString(scratch.resolve("roost/prices.toml"), "\"gpt-5-mini\" = { input = 1, output = 2.5 }\n");
        assertThat(load("", Map.of()).prices().cost("gpt-5-mini", used))
                .as("cached tokens without a price cost as much as input")
                .contains(4_500_000L);
        Files.writeString(scratch.resolve("roost/prices.toml"), "\"gpt-5\" = { input = 1 }\n");
        otherwise("", "The price gpt-5.output is missing", "prices.toml, line 1, column 1");
    }

    @Test
    void an_unreadable_file_is_an_error_and_not_a_missing_file() throws Exception {
        var file = Files.createDirectory(scratch.resolve("roost")).resolve("config.toml");
        Files.createSymbolicLink(file, Path.of("gone.toml"));
        unreachable("config.toml", "a link without a target");
        Files.delete(file);
        Files.createDirectory(file);
        unreachable("config.toml", "Is a directory");
        Files.delete(file);
        Files.createSymbolicLink(file, file);
        unreachable("config.toml", "symbolic links");
        Files.delete(file);
        assertThat(ConfigFile.load(environment(Map.of())).agents()).isEmpty();
    }

    private void unreachable(String... says) {
        assertThatThrownBy(() -> ConfigFile.load(environment(Map.of())))
                .isInstanceOfSatisfying(
                        BadInput.class,
                        e -> assertThat(e.sentence() + " " + e.hint()).contains(says));
    }

    @Test
    void an_invalid_configuration_directory_is_ignored() {
        var usual = Path.of("/home/anybody/.config/roost");
        for (var none : List.of("", "config"))
            assertThat(ConfigFile.directory(Map.of("XDG_CONFIG_HOME", none, "HOME", "/home/anybody")))
                    .isEqualTo(usual);
        assertThat(ConfigFile.directory(Map.of("HOME", "")))
                .isEqualTo(Path.of(System.getProperty("user.home"), ".config", "roost"));
    }

    @Test
    void the_operator_configures_how_sessions_are_woken() {
        assertThat(load("", Map.of()).wakePolicy()).isEqualTo(WakePolicy.DEFAULT);
        var policy = load("wake = 'headless'\nwake_quiet = '1m'\nwake_limit = 1", Map.of("ROOST_WAKE", "off"))
                .wakePolicy();
        assertThat(policy.mode()).isEqualTo(WakePolicy.Mode.OFF);
        assertThat(policy.quiet()).isEqualTo(Duration.ofMinutes(1));
        assertThat(policy.limit()).isEqualTo(1);
        refused("wake = 'always'", "wake", "one of off, idle, headless");
    }
}
