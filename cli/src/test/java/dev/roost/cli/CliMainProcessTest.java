package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Each command with its arguments, output and exit codes. */
@CliFixture.OneDaemon
class CliMainProcessTest extends CliFixture {

    @Test
    void run_prints_only_the_id_and_every_command_accepts_it() {
        var ran = cold("run", "--name", "nightly", "--", "echo", "hello").ok();
        String id = ran.out().strip();
        assertThat(id).matches("r_[0-9a-z]{12}");

        assertThat(cold("output", "--block", "nightly").ok().out()).isEqualTo("hello\n");
        assertThat(roost("output", id.substring(0, 12)).ok().out()).isEqualTo("hello\n");
        var shown = cold("show", id, "--json").ok().json();
        assertThat(shown.path("status").asString()).isEqualTo("completed");
        assertThat(shown.path("owner").asString()).isEqualTo("cli:" + System.getProperty("user.name"));
        assertThat(shown.path("unread").asBoolean()).as("its owner has read it").isFalse();
        assertThat(roost("show", id).ok().out())
                .contains("nightly")
                .contains("timeline")
                .contains("submitted")
                .contains("ended");
        assertThat(roost("ps").ok().out()).doesNotContain(id);
        assertThat(cold("ps", "--all").ok().out())
                .contains(id)
                .contains("nightly")
                .doesNotContain("\033");
    }

    @Test
    void wait_prints_the_output_and_exits_with_the_code_of_the_runs_end() {
        var good =
                roost("run", "--wait", "--", "sh", "-c", "echo one; echo two").ok();
        assertThat(good.out()).isEqualTo("one\ntwo\n");
        assertThat(good.err()).contains("completed");

        var bad = cold("run", "--wait", "--", "sh", "-c", "echo half; exit 7");
        assertThat(bad.exit()).isEqualTo(1);
        assertThat(bad.out()).isEqualTo("half\n");
        assertThat(bad.err()).contains("failed").contains("exit_code 7");

        var json = roost("run", "--wait", "--json", "--", "sh", "-c", "echo one; exit 7");
        assertThat(json.exit()).isEqualTo(1);
        assertThat(json.json().path("result").asString()).isEqualTo("one\n");
        assertThat(json.json().path("evidence").path("exit_status").asInt()).isEqualTo(7);
        // the daemon records it after it has written the reply, so that a lost reply does not count
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(roost("inbox").ok().out())
                        .as("a foreground reply counts as read")
                        .contains("No pending notices"));
    }

    @Test
    void run_reads_a_script_from_standard_input() {
        assertThat(coldWith("x=4; echo $((x * x))\n", Map.of(), "run", "--wait")
                        .ok()
                        .out())
                .isEqualTo("16\n");
        var empty = roostWith("", Map.of(), "run");
        assertThat(empty.exit()).isEqualTo(2);
        assertThat(empty.err()).contains("prompt is empty");
    }

    @Test
    void a_refusal_prints_a_message_has_its_exit_code_and_creates_no_run() {
        refused(2, "no unit", "output", "--block", "--timeout", "300", start("sleep 1000"));
        refused(3, "There is no run \"nope\"", "output", "nope");
        refused(3, "There is no run", "show", "r_zzzzzzzzzzzz");
        refused(3, "There is no run", "stop", "nope");
        refused(2, "no executable", "run", "--", "no-such-program");
        refused(2, "no directory", "run", "--cwd", "/no/such/dir", "--", "true");
        refused(2, "no unit", "run", "--max-time", "30", "--", "true");
        refused(2, "no agent", "run", "--agent", "clippy", "--", "true");
        refused(2, "cannot be used", "run", "--name", "two\nlines", "--", "true");
        refused(2, "not of the form", "run", "--owner", "me", "--", "true");
        refused(5, "cannot resume", "run", "--on-loss", "resume", "--", "true");
        refused(2, "Unknown option", "ps", "--sideways");
        refused(2, "Name the runs", "stop");
        refused(2, "not the id of a notice", "inbox", "--ack", "seven");
        refused(2, "takes no options", "daemon", "run");
        assertThat(roost("ps", "--all", "--json").ok().json().path("runs").size())
                .isEqualTo(1);
        try (var directories = Files.list(home.resolve("runs"))) {
            assertThat(directories).hasSize(1);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void refused(int exit, String sentence, String... words) {
        var ran = roost(words);
        assertThat(ran.exit()).as(String.join(" ", words) + "\n" + ran.err()).isEqualTo(exit);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).startsWith("roost: ").contains(sentence);
    }

    @Test
    void follow_of_an_unknown_run_does_not_print_that_the_run_continues() {
        var ran = roost("output", "--follow", "nope");
        assertThat(ran.exit()).isEqualTo(3);
        assertThat(ran.err()).contains("There is no run \"nope\"").doesNotContain("the run continues");
    }

    /** A command without the launcher, which sets properties that it needs. */
    @Test
    @OwnDaemon
    void an_internal_error_has_the_format_of_other_errors() {
        for (var json : new boolean[] {false, true}) {
            var command = command(json ? new String[] {"doctor", "--json"} : new String[] {"doctor"});
            command.removeIf(word -> word.startsWith("-Droost.launcher="));
            var builder = new ProcessBuilder(command).directory(scratch.toFile());
            builder.environment().put("ROOST_HOME", home.toString());
            Ran ran;
            try {
                ran = finish(builder.start(), "");
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            assertThat(ran.exit()).isEqualTo(1);
            assertThat(ran.err()).doesNotContain("\tat ");
            if (json)
                assertThat(ran.json().path("error").path("code").asString()).isEqualTo("internal");
            else assertThat(ran.err()).contains("Roost made a mistake", "the launcher did not set");
        }
    }

    @Test
    void with_json_an_error_has_the_daemons_fields() {
        var ran = cold("show", "nope", "--json");
        assertThat(ran.exit()).isEqualTo(3);
        var error = ran.json().path("error");
        assertThat(error.path("code").asString()).isEqualTo("no_such_run");
        assertThat(error.path("message").asString()).isNotBlank();
        assertThat(error.path("hint").asString()).isNotBlank();
    }

    @Test
    void block_gives_up_with_124_and_says_how_long_it_waited() {
        var id = start("sleep 1000");
        var ran = roost("output", "--block", "--timeout", "1s", id);
        assertThat(ran.exit()).isEqualTo(124);
        assertThat(ran.err()).contains("still running after");
        var json = roost("output", "--block", "--timeout", "1s", "--json", id);
        assertThat(json.exit()).isEqualTo(124);
        assertThat(json.json().path("timed_out").asBoolean()).isTrue();
        assertThat(json.json().path("waited_ms").asLong()).isGreaterThanOrEqualTo(1000);
    }

    @Test
    void stop_returns_when_the_process_tree_is_gone_and_is_idempotent() throws Exception {
        var id = start("sleep 1000 & echo $! > pid; wait");
        await().atMost(Duration.ofSeconds(10)).until(() -> Files.exists(scratch.resolve("pid")));
        long child = Long.parseLong(Files.readString(scratch.resolve("pid")).strip());
        assertThat(alive(child)).isTrue();

        var stopped = roost("stop", id, "--json").ok().json().path("runs").get(0);
        assertThat(stopped.path("status").asString()).isEqualTo("canceled_by_user");
        assertThat(stopped.path("cause").asString()).isEqualTo("stopped");
        assertThat(alive(child)).isFalse();
        roost("stop", id).ok();
        assertThat(roost("output", "--block", id).exit()).isEqualTo(130);
    }

    @Test
    void the_inbox_lists_a_notice_until_it_is_acknowledged() {
        var id = roost("run", "--owner", "claude:5f0c", "--name", "docs", "--", "false")
                .ok()
                .out()
                .strip();
        roost("output", "--block", id);
        var notices = roost("inbox", "--json").ok().json().path("notices");
        assertThat(notices.size()).isEqualTo(1);
        assertThat(notices.get(0).path("run_id").asString()).isEqualTo(id);
        assertThat(notices.get(0).path("status").asString()).isEqualTo("failed");
        assertThat(roost("inbox").ok().out()).contains("docs failed").contains("roost output " + id);
        assertThat(roost("ps").ok().out()).as("unread by its owner").contains("(unread)");

        String notice = notices.get(0).path("notice_id").asString();
        assertThat(roost("inbox", "--ack", notice).ok().out()).contains("1 of 1");
        assertThat(roost("inbox", "--owner", "claude:5f0c").ok().out()).contains("No pending notices");
    }

    @Test
    void raw_prints_the_agents_stream_and_cursor_the_output_after_a_position() {
        var id = start("echo one; echo two");
        roost("output", "--block", id).ok();
        assertThat(roost("output", "--raw", id).ok().out()).isEqualTo("one\ntwo\n");
        assertThat(roost("output", "--raw", "--attempt", "1", id).ok().out()).isEqualTo("one\ntwo\n");
        refused(2, "no attempt 9", "output", "--raw", "--attempt", "9", id);
        assertThat(roost("output", "--raw", "--json", id)
                        .json()
                        .path("error")
                        .path("message")
                        .asString())
                .contains("--raw");
        assertThat(roost("output", "--cursor", "4", id).ok().out()).isEqualTo("two\n");
        var json = roost("output", "--json", id).ok().json();
        assertThat(json.path("next_cursor").asLong()).isEqualTo(8);
        assertThat(Path.of(json.path("output_file").asString())).content().startsWith("one\ntwo\n");
    }

    @Test
    @OwnDaemon
    void follow_continues_after_a_kill_of_the_daemon() throws Exception {
        var id = start("echo before; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo after");
        var follow = launch(Map.of(), "output", "--follow", id);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> roost("output", id).out().equals("before\n"));
        ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
        touch("go");
        var ran = finish(follow, "");
        assertThat(ran.out()).isEqualTo("before\nafter\n");
        assertThat(ran.exit()).isZero();
    }

    @Test
    void inside_a_run_a_command_acts_as_that_runs_owner() {
        var other = roost("run", "--owner", "claude:other", "--", "sleep", "1000")
                .ok()
                .out()
                .strip();
        var mine = coldWith("", Map.of("ROOST_OWNER", "claude:mine"), "run", "--", "true")
                .ok()
                .out()
                .strip();
        var seen = coldWith("", Map.of("ROOST_OWNER", "claude:mine"), "ps", "--all")
                .ok()
                .out();
        assertThat(seen).contains(mine).doesNotContain(other);
        assertThat(coldWith("", Map.of("ROOST_OWNER", "claude:mine"), "stop", other)
                        .exit())
                .isEqualTo(3);
    }

    @Test
    @OwnDaemon
    void a_failed_write_of_the_output_is_an_error() throws Exception {
        for (var words : List.of(List.of("run", "--", "true"), List.of("ps", "--all", "--json"))) {
            var process = new ProcessBuilder(command(words.toArray(String[]::new)))
                    .redirectOutput(Path.of("/dev/full").toFile());
            process.environment().put("ROOST_HOME", home.toString());
            var ran = finish(process.start(), "");
            assertThat(ran.exit()).as("%s", words).isEqualTo(1);
            assertThat(ran.err()).contains("could not be written");
        }
    }

    @Test
    void follow_exits_when_its_reader_closes_the_pipe_and_the_run_continues() throws Exception {
        var id = start("while :; do echo x; sleep 0.1; done");
        var process = launch(Map.of(), "output", "--follow", id);
        process.getInputStream().read();
        process.getInputStream().close();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("as if by SIGPIPE").isEqualTo(141);
        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .doesNotContain("could not");
        assertThat(roost("show", id).ok().out()).contains("running");
    }

    @Test
    void json_after_a_double_dash_is_an_option_of_the_agent() {
        assertThat(roost("run", "--", "/no/such/program", "--json").err()).startsWith("roost: ");
    }

    @Test
    @OwnDaemon
    void help_lists_every_command_and_version_prints_the_version() {
        assertThat(cold("--help").ok().out())
                .contains(
                        "run",
                        "ps",
                        "show",
                        "output",
                        "stop",
                        "send",
                        "inbox",
                        "agents",
                        "trust",
                        "daemon",
                        "demo",
                        "Exit codes");
        assertThat(cold("--version").ok().out()).startsWith("roost ");
        assertThat(roost("run", "--help").ok().out()).contains("--max-time");
        assertThat(home).as("help starts no daemon").doesNotExist();
    }
}
