package dev.roost.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.BridgeFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code roost hook}, as a harness starts it: one process for each event. */
class HookBridgeProcessTest extends BridgeFixture {

    private Process hook(String event) throws IOException {
        return program("hook", "claude-code", event).start();
    }

    private Ran hooked(String event) throws IOException {
        return finish(hook(event), "{\"session_id\": \"%s\", \"cwd\": \"%s\"}".formatted(SESSION, scratch));
    }

    @Test
    void only_session_start_starts_the_daemon() throws IOException {
        assertThat(hooked("UserPromptSubmit")).isEqualTo(new Ran(0, "", ""));
        assertThat(home).doesNotExist();
        assertThat(hooked("SessionStart")).isEqualTo(new Ran(0, "", ""));
        assertThat(roost("daemon", "status").exit()).isZero();
    }

    /** Runs the hook against a daemon that reads the request, writes {@code says} and dies. */
    private Ran hookedToOneThatDies(String says) throws Exception {
        Files.createDirectories(home);
        var address = UnixDomainSocketAddress.of(home.resolve("roost.sock"));
        try (var dying = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            Thread.ofVirtual().start(() -> {
                try (var connection = dying.accept()) {
                    new BufferedReader(Channels.newReader(connection, StandardCharsets.UTF_8)).readLine();
                    connection.write(ByteBuffer.wrap(says.getBytes(StandardCharsets.UTF_8)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            return hooked("SessionStart");
        } finally {
            Files.delete(home.resolve("roost.sock"));
        }
    }

    @Test
    void a_session_learns_that_its_runs_are_unknown_if_the_daemon_dies_during_the_answer() throws Exception {
        for (var says : List.of("", "{\"half an ans")) {
            var ran = hookedToOneThatDies(says);
            assertThat(ran.exit()).isZero();
            assertThat(ran.out().lines()).hasSize(1);
            assertThat(ran.out()).contains("Do not assume");
        }
    }

    @Test
    void a_complete_answer_is_not_followed_by_the_unknown_notice() throws Exception {
        var ran = hookedToOneThatDies("{\"told\":true}\n");
        assertThat(ran.out().strip()).isEqualTo("{\"told\":true}");
        assertThat(hookedToOneThatDies("{}\n").out()).isEmpty();
    }

    @Test
    void a_change_of_the_sessions_directory_does_not_move_its_runs() throws IOException {
        hooked("SessionStart");
        var wandered = "{\"session_id\": \"%s\", \"cwd\": \"/\"}".formatted(SESSION);
        finish(hook("UserPromptSubmit"), wandered);
        try (var harness = new Harness()) {
            assertThat(harness.tool("agent", "{'prompt': 'pwd', 'description': 'd', 'agent': 'command'}")
                            .path("result")
                            .asString()
                            .strip())
                    .isEqualTo(scratch.toRealPath().toString());
            assertThat(harness.tool("agent", "{'prompt': 'x', 'description': 'd', 'agent': 'command', 'cwd': '/etc'}")
                            .path("error")
                            .toString())
                    .contains("outside_project");
        }
    }

    @Test
    void notices_stay_pending_if_the_hook_is_killed_before_it_has_printed() throws Exception {
        hooked("SessionStart");
        try (var harness = new Harness()) {
            harness.tool("agent", background("true"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> roost("inbox", "--json").json().path("notices").size() == 1);
        }
        var cut = hook("UserPromptSubmit");
        cut.getInputStream().close(); // the reader closes the pipe
        say(cut);
        cut.waitFor();
        hooked("PostToolBatch");
        assertThat(roost("inbox", "--json").json().path("notices"))
                .as("still pending")
                .hasSize(1);
        assertThat(hooked("UserPromptSubmit").out()).contains("1 background run ended");
        assertThat(hooked("PostToolBatch").out()).isEmpty();
        assertThat(roost("inbox", "--json").json().path("notices")).isEmpty();
    }

    /** Writes the event and closes the hook's input. */
    private static void say(Process hook) throws IOException {
        try (var in = hook.getOutputStream()) {
            in.write("{\"session_id\": \"%s\"}".formatted(SESSION).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void the_wake_hook_survives_a_kill_of_the_daemon_and_exits_at_its_stop() throws Exception {
        config("wake_quiet = '1s'\n[tools]\nagents = ['command']\n");
        hooked("SessionStart");
        hooked("UserPromptSubmit");
        hooked("Stop");
        var waiter = hook("Wake");
        say(waiter);
        await().atMost(Duration.ofSeconds(60)).until(this::isHeard);
        long daemon = daemonPid();
        ProcessHandle.of(daemon).orElseThrow().destroyForcibly();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> roost("daemon", "status").exit() == 0 && daemonPid() != daemon);
        try (var harness = new Harness()) {
            harness.tool("agent", background("true"));
        }
        assertThat(waiter.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(waiter.exitValue()).isEqualTo(2);
        assertThat(new String(waiter.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("<roost-notice id=", "1 background run ended");

        hooked("Stop");
        var other = hook("Wake");
        say(other);
        await().atMost(Duration.ofSeconds(60)).until(this::isHeard);
        roost("daemon", "stop").ok();
        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(other.exitValue()).isZero();
        assertThat(roost("daemon", "status").exit()).isEqualTo(4);
    }

    private boolean isHeard() throws IOException {
        var accepted = Pattern.compile(
                " 0001 03 +[0-9]+ " + Pattern.quote(home.resolve("roost.sock").toString()));
        return accepted.matcher(Files.readString(Path.of("/proc/net/unix"))).find();
    }
}
