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

/** How the daemon comes and goes. */
class DaemonLauncherProcessTest extends CliFixture {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void status_and_stop_say_so_if_there_is_none_and_start_none() {
        assertThat(cold("daemon", "status").exit()).isEqualTo(4);
        assertThat(cold("daemon", "stop").exit()).isEqualTo(4);
        assertThat(home).doesNotExist();
    }

    @Test
    void the_first_command_starts_it_in_a_session_directory_and_environment_of_its_own() throws Exception {
        coldWith("", Map.of("SECRET", "hunter2", "CLAUDECODE", "1"), "ps").ok();
        var proc = Path.of("/proc/" + daemonPid());
        var stat = Files.readString(proc.resolve("stat"));
        String session = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3];
        assertThat(session)
                .as("it leads its session")
                .isEqualTo(proc.getFileName().toString());
        assertThat(Files.readSymbolicLink(proc.resolve("cwd"))).isEqualTo(home.toRealPath());
        assertThat(Files.readString(proc.resolve("environ"), StandardCharsets.ISO_8859_1))
                .contains("ROOST_HOME=" + home)
                .doesNotContain("hunter2", "CLAUDECODE");
    }

    @Test
    void started_from_inside_a_run_it_is_not_part_of_that_run() throws Exception {
        // the run's own daemon is stopped; then the run itself calls a command, which starts the next one
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

        assertThat(alive(daemon)).as("the daemon lives on").isTrue();
        assertThat(daemonPid()).isEqualTo(daemon);
        assertThat(roost("show", id, "--json").ok().json().path("status").asString())
                .isEqualTo("canceled_by_user");
    }

    @Test
    void fifty_commands_that_race_to_start_it_all_succeed_with_one_daemon() throws Exception {
        var racing = new ArrayList<Process>();
        for (int i = 0; i < 50; i++) racing.add(launch(Map.of(), "daemon", "start", "--json"));
        var pids = new HashSet<Long>();
        for (var process : racing)
            pids.add(finish(process, "").ok().json().path("pid").asLong());
        assertThat(pids).hasSize(1);
    }

    @Test
    void odd_characters_in_the_path_of_the_home_do_not_matter() {
        home = scratch.resolve("100%t of 'my' \"ho%gme\" ?a=b #1 ü $(x)");
        assertThat(cold("run", "--wait", "--", "echo", "fine").ok().out()).contains("fine");
        assertThat(home.resolve("logs/daemon.0.log")).exists();
    }

    @Test
    void a_home_that_cannot_be_used_is_named_with_the_reason() throws Exception {
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
    void a_setting_that_makes_no_sense_is_named() throws Exception {
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
    void the_doctor_has_something_to_say_even_if_it_does_not_start() throws Exception {
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
    void a_person_may_ask_for_faults_and_an_agent_may_not() throws Exception {
        var faults = Files.writeString(scratch.resolve("faults"), "kill before claim\nset fire\n");
        var asked = Map.of("ROOST_FAULTS", faults.toString());
        var ran = coldWith("", asked, "ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("set fire").contains("kill before claim");
        coldWith("", Map.of("ROOST_FAULTS", faults.toString(), "CLAUDECODE", "1"), "ps")
                .ok();
    }

    @Test
    void a_broken_ledger_is_told_as_such() throws Exception {
        Files.createDirectories(home);
        Files.writeString(home.resolve("roost.db"), "dear diary, ".repeat(1000));
        var ran = roost("ps");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("ledger").contains("cannot be opened");
        assertThat(home.resolve("roost.db")).content().startsWith("dear diary");
    }
}
