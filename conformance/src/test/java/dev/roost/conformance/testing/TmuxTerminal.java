package dev.roost.conformance.testing;

import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCliHome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An interactive terminal: tmux, with a server of its own. */
public final class TmuxTerminal implements AutoCloseable {

    private final Path socket;

    private TmuxTerminal(Path socket) {
        this.socket = socket;
    }

    static TmuxTerminal open(Path socket, AgentCliHome home, List<String> command)
            throws IOException, InterruptedException {
        var tmuxTerminal = new TmuxTerminal(socket);
        var words = new ArrayList<>(List.of("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "50"));
        words.addAll(List.of("-c", home.project().toString(), "env", "-i"));
        home.environment().forEach((name, value) -> words.add(name + "=" + value));
        words.add("TERM=screen-256color");
        words.addAll(command);
        tmuxTerminal.tmux(words);
        return tmuxTerminal;
    }

    private String tmux(List<String> words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("tmux", "-S", socket.toString()));
        command.addAll(words);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8"));
        builder.environment().remove("TMUX");
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new IllegalStateException(String.join(" ", command) + ": " + output);
        return output;
    }

    public void awaitWords(String words) {
        await().atMost(Duration.ofSeconds(60)).until(this::screen, screen -> screen.contains(words));
    }

    String screen() throws IOException, InterruptedException {
        return tmux(List.of("capture-pane", "-p"));
    }

    /** Types a line, waits until it is displayed, and presses Enter. */
    public void type(String line) throws IOException, InterruptedException {
        tmux(List.of("send-keys", "-l", line));
        var end = line.substring(Math.max(0, line.length() - 12));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> screen().replaceAll("\\s+", "").contains(end.replace(" ", "")));
        tmux(List.of("send-keys", "Enter"));
    }

    public void key(String key) throws IOException, InterruptedException {
        tmux(List.of("send-keys", key));
    }

    /** Ends all processes started here, so that none writes any more. */
    @Override
    public void close() {
        try {
            var pane = ProcessHandle.of(Long.parseLong(
                    tmux(List.of("display-message", "-p", "#{pane_pid}")).strip()));
            var all = pane.stream()
                    .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                    .toList();
            tmux(List.of("kill-server"));
            all.forEach(ProcessHandle::destroyForcibly);
            for (var process : all) process.onExit().join();
        } catch (IOException | IllegalStateException e) {
            // it has ended by itself
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
