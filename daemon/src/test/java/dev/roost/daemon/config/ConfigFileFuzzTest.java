package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import dev.roost.config.EngineConfig;
import dev.roost.fuzz.FuzzRunner;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Random settings, as a foreign project may have: read, or refused with the place of the error. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConfigFileFuzzTest {

    private static final int USUALLY = 300;

    private static final String USER = """
            max_live = 8
            max_output = 1000000
            http = "127.0.0.1:7077"
            over_capacity = "refuse"
            quiet_after = "5m"
            wake = "idle"
            default_agent = "reviewer"
            sleep_signals = "off"
            [permissions]
            parent_may_approve = true
            timeout = "1h"
            [budget]
            max_cost_usd_per_owner_per_day = 12.50
            [tools]
            agents = ["reviewer", "claude"]
            [telemetry]
            otlp = "http://127.0.0.1:4318/"
            [agents.reviewer]
            driver = "claude"
            model = "opus"
            args = ["--verbose"]
            env = { A = "b" }
            max_time = "30m"
            """;
    private static final String PROJECT = """
            max_time = "30m"
            max_tokens = 100000
            max_cost_usd = 1.5
            permissions = "safe"
            default_agent = "fixer"
            [worktrees]
            setup = "make deps"
            copy = [".env"]
            [agents.fixer]
            driver = "codex"
            system_prompt = \"\"\"
            Be brief.
            \"\"\"
            max_turns = 5
            """;
    private static final String PRICES = """
            ["gpt-5"]
            input = 1.25
            cached = 0.125
            output = 10
            """;

    @TempDir
    Path scratch;

    private Path config;
    private Path project;

    @BeforeEach
    void makeDirectories() throws IOException {
        config = Files.createDirectories(scratch.resolve("roost"));
        project = Files.createDirectories(scratch.toRealPath().resolve("project"));
        Files.createDirectories(scratch.resolve("home"));
    }

    /** Checks that the error names the file, and the line or setting. */
    private static void understoodOrRefused(Runnable reading, String file) {
        try {
            reading.run();
        } catch (BadInput e) {
            assertThat(e.sentence() + " " + e.hint())
                    .contains(file)
                    .containsPattern("line \\d+|setting|agent|price|[a-z_]+=|cannot be read|longer than|not UTF-8")
                    .doesNotContain("Exception")
                    .doesNotContainPattern("java\\.\\w")
                    .hasSizeLessThan(20_000);
            assertThat(e.sentence() + e.hint()).as("no control characters").matches("[^\\p{Cntrl}]*");
        }
    }

    private Map<String, String> environment() {
        return Map.of("XDG_CONFIG_HOME", scratch.toString(), "HOME", scratch.toString());
    }

    private void readUsers() {
        ConfigFile.load(environment());
        ConfigFile.surfaces(environment());
    }

    private void readProject() {
        new ProjectFiles(scratch.resolve("home"), EngineConfig.DEFAULT, environment(), new SystemClock()).at(project);
    }

    @Test
    void any_user_file_is_read_or_refused() throws IOException {
        Files.writeString(config.resolve("config.toml"), USER);
        readUsers();
        FuzzRunner.each(USUALLY, List.of(FuzzRunner.bytes(USER)), input -> {
            Files.write(config.resolve("config.toml"), input);
            understoodOrRefused(this::readUsers, "config.toml");
        });
    }

    @Test
    void any_project_file_is_read_or_refused() throws IOException {
        FuzzRunner.each(USUALLY, List.of(FuzzRunner.bytes(PROJECT)), input -> {
            Files.write(project.resolve(".roost.toml"), input);
            understoodOrRefused(this::readProject, ".roost.toml");
        });
    }

    @Test
    void any_price_file_is_read_or_refused() throws IOException {
        FuzzRunner.each(USUALLY, List.of(FuzzRunner.bytes(PRICES)), input -> {
            Files.write(config.resolve("prices.toml"), input);
            understoodOrRefused(this::readUsers, "prices.toml");
        });
    }

    private void refused(String text) throws IOException {
        Files.writeString(project.resolve(".roost.toml"), text);
        assertThatThrownBy(this::readProject).isInstanceOf(BadInput.class);
        understoodOrRefused(this::readProject, ".roost.toml");
    }

    @Test
    void excessive_nesting_is_refused_without_a_stack_overflow() throws IOException {
        refused("a = " + "[".repeat(100_000));
        refused("a = " + "[".repeat(50_000) + "]".repeat(50_000));
        refused("a = " + "{a=".repeat(50_000));
        refused("a.".repeat(100_000) + "a = 1");
        refused("[" + "a.".repeat(100_000) + "a]");
    }

    @Test
    void many_lines_without_a_setting_are_read_quickly() throws IOException {
        refused("a = 1\n" + "\n".repeat(2_000));
        refused("a = " + "\r\n".repeat(2_000));
        refused("# a comment\n".repeat(2_000));
        refused("a = \n".repeat(40_000));
    }

    @Test
    void an_oversized_file_is_refused_before_it_is_read() throws IOException {
        try (var file =
                new java.io.RandomAccessFile(config.resolve("config.toml").toFile(), "rw")) {
            file.setLength(3L << 30);
        }
        assertThatThrownBy(this::readUsers)
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.sentence()).contains("config.toml", "longer than"));
    }
}
