package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.install.Harness;
import dev.roost.cli.testing.CliFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Start and stop of the daemon. */
class DaemonLauncherProcessTest extends CliFixture {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void status_and_stop_report_a_missing_daemon_and_start_none() {
        assertThat(cold("daemon", "status").exit()).isEqualTo(4);
        assertThat(cold("daemon", "stop").exit()).isEqualTo(4);
        assertThat(home).doesNotExist();
    }

    @Test
    void the_first_command_starts_the_daemon_in_its_own_session_directory_and_environment() throws Exception {
        coldWith("", Map.of("SECRET", "hunter2", "CLAUDECODE", "1"), "ps").ok();
        var proc = Path.of("/proc/" + daemonPid());
        var stat = Files.readString(proc.resolve("stat"));
        String session = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3];
        assertThat(session)
                .as("it is a session leader")
                .isEqualTo(proc.getFileName().toString());
        assertThat(Files.readSymbolicLink(proc.resolve("cwd"))).isEqualTo(home.toRealPath());
        assertThat(Files.readString(proc.resolve("environ"), StandardCharsets.ISO_8859_1))
                .contains("ROOST_HOME=" + home)
                .doesNotContain("hunter2", "CLAUDECODE");
    }

    @Test
    void a_daemon_started_inside_a_run_is_not_part_of_that_run() throws Exception {
        // the daemon is stopped; then a command inside the run starts the next one
        var script =
                "while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; %s > \"$SCRATCH/inner\" 2>&1; touch \"$SCRATCH/called\"; sleep 1000"
                        .formatted(String.join(
                                        " ",
                                        command("daemon", "status", "--json").stream()
                                                .map(word -> "'" + word + "'")
                                                .toList())
                                .replace("'status'", "'start'"));
        var id = start(script);
        awaitProcess(id);
        roost("daemon", "stop").ok();
        touch("go");
        await().atMost(SOON).until(() -> Files.exists(scratch.resolve("called")));
        assertThat(Files.readString(scratch.resolve("inner"))).contains("\"pid\"");
        long daemon = daemonPid();
        assertThat(roost("show", id, "--json").ok().json().path("status").asString())
                .isEqualTo("running");

        roost("stop", id).ok();

        assertThat(alive(daemon)).as("the daemon is alive").isTrue();
        assertThat(daemonPid()).isEqualTo(daemon);
        assertThat(roost("show", id, "--json").ok().json().path("status").asString())
                .isEqualTo("canceled_by_user");
    }

    @Test
    void fifty_commands_that_race_to_start_the_daemon_all_succeed_with_one() throws Exception {
        var racing = new ArrayList<Process>();
        for (int i = 0; i < 50; i++) racing.add(launch(Map.of(), "daemon", "start", "--json"));
        var pids = new HashSet<Long>();
        for (var process : racing)
            pids.add(finish(process, "").ok().json().path("pid").asLong());
        assertThat(pids).hasSize(1);
    }

    @Test
    void special_characters_in_the_path_of_the_home_work() {
        home = scratch.resolve("100%t of 'my' \"ho%gme\" ?a=b #1 ü $(x)");
        assertThat(cold("run", "--wait", "--", "echo", "fine").ok().out()).contains("fine");
        assertThat(home.resolve("logs/daemon.0.log")).exists();
    }

    @Test
    void an_unusable_home_is_reported_with_its_path_and_the_reason() throws Exception {
        Files.writeString(scratch.resolve("home"), "not a directory");
        var ran = roost("ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("roost: ", scratch.resolve("home") + " is a file");
        home = scratch.resolve("home/below");
        assertThat(roost("ps").err()).contains("Not a directory");
        Files.delete(scratch.resolve("home"));
        assertThat(roostWith("", Map.of("ROOST_HOME", "/proc/roost"), "ps").err())
                .contains("/proc/roost: no such");

        home = scratch.resolve("x".repeat(120));
        ran = roost("ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("too long");
    }

    @Test
    void an_invalid_setting_is_reported() throws Exception {
        var config = scratch.resolve("config/roost/config.toml");
        Files.createDirectories(config.getParent());
        Files.writeString(config, "max_live = 7\nmax_lives = 9\n");
        var ran = roost("ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("max_lives").contains("max_live_per_owner");
        Files.writeString(config, "max_live = 'many'\n");
        assertThat(roost("ps").err()).contains("max_live is not a whole number");
        Files.writeString(config, "max_live = \n");
        assertThat(roost("ps").err()).contains("config.toml is not valid TOML");
        Files.writeString(config, "max_live_per_owner = 1\nover_capacity = \"refuse\"\n");
        start("sleep 1000");
        var refused = roost("run", "--", "true");
        assertThat(refused.exit()).isEqualTo(5);
        assertThat(refused.err()).contains("the maximum for this owner");
    }

    @Test
    void the_doctor_works_if_the_daemon_cannot_start() throws Exception {
        var config = scratch.resolve("config/roost/config.toml");
        Files.createDirectories(config.getParent());
        Files.writeString(config, "max_live = 'many'\n");
        var ran = roost("doctor");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out())
                .containsPattern("✗ +daemon +The setting max_live is not a whole number")
                .contains("→ Correct it in " + config)
                .containsPattern("disk +[0-9.]+ GiB free")
                .contains("claude-code", "gemini");
        var findings = roost("doctor", "--json").json().path("findings");
        assertThat(findings.path(0).path("what").asString()).isEqualTo("daemon");
        assertThat(findings.path(0).path("level").asString()).isEqualTo("bad");
        assertThat(findings.size()).isEqualTo(2 + Harness.NAMES.size());
    }

    @Test
    void only_a_person_may_inject_faults() throws Exception {
        var faults = Files.writeString(scratch.resolve("faults"), "kill before claim\nset fire\n");
        var environment = Map.of("ROOST_FAULTS", faults.toString());
        var ran = coldWith("", environment, "ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("set fire").contains("kill before claim");
        coldWith("", Map.of("ROOST_FAULTS", faults.toString(), "CLAUDECODE", "1"), "ps")
                .ok();
    }

    @Test
    void a_broken_ledger_is_reported() throws Exception {
        Files.createDirectories(home);
        Files.writeString(home.resolve("roost.db"), "dear diary, ".repeat(1000));
        var ran = roost("ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("ledger").contains("cannot be opened");
        assertThat(home.resolve("roost.db")).content().startsWith("dear diary");
    }
}
