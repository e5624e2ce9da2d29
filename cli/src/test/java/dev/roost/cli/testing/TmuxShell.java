package dev.roost.cli.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.client.ShellWords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real terminal with a shell that runs one command and reports the terminal's state after it. */
public final class TmuxShell implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final String socket;
    private final Path scratch;

    private TmuxShell(String socket, Path scratch) {
        this.socket = socket;
        this.scratch = scratch;
    }

    /** Types the command into an interactive shell, so that it has job control. */
    public static TmuxShell run(
            Path scratch, Map<String, String> environment, int columns, int rows, List<String> command)
            throws IOException, InterruptedException {
        var tmuxShell = new TmuxShell("roost-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime(), scratch);
        Files.writeString(scratch.resolve("view.sh"), "exec " + ShellWords.of(command) + "\n");
        var words = new ArrayList<>(List.of("-f", "/dev/null", "-u", "new-session", "-d"));
        words.addAll(List.of("-x", "" + columns, "-y", "" + rows, "--", "env", "PS1=$ ", "sh", "-i"));
        tmuxShell.call(environment, words);
        tmuxShell.awaitScreen("$");
        tmuxShell.keys("stty -g >$SCRATCH/before; sh $SCRATCH/view.sh; echo $? >$SCRATCH/ended", "Enter");
        return tmuxShell;
    }

    private String call(Map<String, String> environment, List<String> words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("tmux", "-L", socket));
        command.addAll(words);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("TMUX", "TMUX_PANE", "NO_COLOR"));
        builder.environment().keySet().removeIf(name -> name.startsWith("CLAUDE") || name.startsWith("ROOST_"));
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    public String tmux(String... words) {
        try {
            return call(Map.of(), List.of(words));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public void keys(String... keys) {
        var words = new ArrayList<>(List.of("send-keys"));
        words.addAll(List.of(keys));
        tmux(words.toArray(String[]::new));
    }

    public String screen() {
        return tmux("capture-pane", "-p");
    }

    public void awaitScreen(String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(screen()).contains(text));
    }

    public void awaitGone(String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(screen()).doesNotContain(text));
    }

    /** The command: the child process of the pane's shell. */
    public ProcessHandle command() {
        long shell = Long.parseLong(tmux("display-message", "-p", "#{pane_pid}").strip());
        return ProcessHandle.of(shell).orElseThrow().children().findFirst().orElseThrow();
    }

    /** Waits until the command ends or is suspended; returns its exit status. */
    public int awaitEnd() throws IOException {
        var ended = scratch.resolve("ended");
        await().atMost(SOON).until(() -> Files.exists(ended) && Files.size(ended) > 0);
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}"))
                                .isEqualTo("0 1 1\n"));
        assertThat(modes()).isEqualTo(modesBefore());
        return Integer.parseInt(Files.readString(ended).strip());
    }

    public String modesBefore() throws IOException {
        return Files.readString(scratch.resolve("before"));
    }

    /** The terminal's settings as a command of the shell finds them. */
    public String modes() throws IOException {
        var now = scratch.resolve("now-" + System.nanoTime());
        keys("stty -g >" + now, "Enter");
        await().atMost(SOON).until(() -> Files.exists(now) && Files.size(now) > 0);
        return Files.readString(now);
    }

    @Override
    public void close() {
        tmux("kill-server");
    }
}
