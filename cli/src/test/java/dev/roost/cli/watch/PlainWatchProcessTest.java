package dev.roost.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code ps --watch} in a pipe. */
@CliFixture.OneDaemon
class PlainWatchProcessTest extends CliFixture {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final List<Process> watching = new ArrayList<>();

    private Path watch(String... words) throws IOException {
        return watchAs(command(words));
    }

    private Path watchAs(List<String> command) throws IOException {
        var shown = scratch.resolve("shown-" + watching.size());
        var builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_"));
        builder.environment().putAll(Map.of("ROOST_HOME", home.toString(), "TERM", "xterm"));
        builder.redirectOutput(shown.toFile())
                .redirectError(scratch.resolve("err").toFile());
        watching.add(builder.start());
        return shown;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    private static String lastTable(Path file) throws IOException {
        return text(file).substring(text(file).lastIndexOf("\n\n") + 2);
    }

    @AfterEach
    void stopWatching() throws Exception {
        for (var process : watching) {
            process.destroy();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void the_table_is_printed_only_when_a_run_changes() throws Exception {
        var shown = watch("ps", "--watch");
        await().atMost(SOON).until(() -> text(shown).contains("No live or unread runs"));
        var id = start("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done");
        await().atMost(SOON).until(() -> text(shown).contains(id) && text(shown).contains("▸ running  "));
        var before = text(shown);
        await().during(Duration.ofSeconds(2))
                .atMost(SOON)
                .until(() -> text(shown).equals(before)); // elapsed time is not a change
        touch("go");
        await().atMost(SOON).until(() -> text(shown).contains("(unread)"));
        assertThat(text(shown)).contains("rest.\n\nRUN").doesNotContain("\033");
        roost("output", id).ok();
        await().atMost(SOON)
                .until(() -> text(shown).endsWith("\n\nNo live or unread runs. `roost ps --all` shows the rest.\n"));
    }

    @Test
    void with_json_each_change_is_one_document_on_one_line() throws Exception {
        var shown = watch("ps", "--watch", "--json", "--all");
        await().atMost(SOON).until(() -> text(shown).lines().count() == 1);
        var id = start("true");
        await().atMost(SOON).until(() -> text(shown).contains("\"completed_empty\""));
        var documents = text(shown).lines().map(DaemonClient.JSON::readTree).toList();
        assertThat(documents.getFirst().path("runs")).isEmpty();
        assertThat(documents.getLast().path("runs").get(0).path("run_id").asString())
                .isEqualTo(id);
        assertThat(documents).doesNotHaveDuplicates();
    }

    @Test
    @OwnDaemon
    void watch_does_not_restart_a_stopped_daemon_and_shows_the_next_one() throws Exception {
        var shown = watch("ps", "--watch");
        var id = start("sleep 1000");
        await().atMost(SOON).until(() -> text(shown).contains(id));
        roost("daemon", "stop").ok();
        await().atMost(SOON).until(() -> text(scratch.resolve("err")).contains("the daemon is gone"));
        assertThat(roost("daemon", "status").exit())
                .as("watching starts no daemon")
                .isEqualTo(4);
        var next = start("sleep 1001");
        await().atMost(SOON).until(() -> text(shown).contains(next));
        ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
        roost("stop", next).ok();
        await().atMost(SOON).until(() -> !lastTable(shown).contains(next)); // its owner stopped it, so it is not unread
        assertThat(watching.getFirst().isAlive()).isTrue();
    }

    @Test
    void without_a_usable_terminal_watch_prints_tables() throws Exception {
        var command = new ArrayList<>(command("ps", "--watch"));
        command.add(1, "-Droost.terminal=true"); // claims a terminal without one
        command.addFirst("setsid");
        var id = start("sleep 1000");
        var shown = watchAs(command);
        await().atMost(SOON).until(() -> text(shown).contains(id));
        assertThat(text(shown)).doesNotContain("\033[?1049h");
    }

    @Test
    void watch_exits_when_its_reader_closes_the_pipe() throws Exception {
        roost("daemon", "start").ok();
        var process = launch(Map.of(), "ps", "--watch");
        watching.add(process);
        process.getInputStream().close();
        start("sleep 1000");
        start("sleep 1001");
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
}
