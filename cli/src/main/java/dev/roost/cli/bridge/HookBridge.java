package dev.roost.cli.bridge;

import dev.roost.cli.client.HomePath;
import dev.roost.cli.client.LauncherScript;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * {@code roost hook HARNESS EVENT}: sends the harness's event from standard input to the daemon, and prints the response for its
 * session. It must never delay or break that session.
 */
record HookBridge(String harness, String event) {

    private static final int MAX_INPUT = 1 << 20;
    private static final int SECONDS_TO_START = 5;
    private static final int SECONDS_TO_RESTART = 30;
    private static final int EXIT_WAKE = 2;
    private static final String END = ".end";

    int run() {
        try {
            var input = event.equals("Monitor")
                    ? "" // Monitor's standard input may stay open
                    : new String(System.in.readNBytes(MAX_INPUT), StandardCharsets.UTF_8);
            if (event.equals("Wake")) return wake(input);
            if (event.equals("Monitor")) return monitor();
            var socket = connect();
            if (socket.isEmpty()) {
                if (event.equals("SessionStart")) System.out.println(unknown());
                return 0;
            }
            try (var open = socket.get()) {
                BridgeMain.send(open, request("hook", input));
                var answer = line(open);
                if (answer == null) throw new EOFException("the daemon died while it answered");
                if (!answer.equals("{}")) print(answer, open);
            }
        } catch (IOException | RuntimeException e) {
            if (event.equals("SessionStart")) System.out.println(unknown());
        }
        return 0;
    }

    private static void print(String answer, SocketChannel open) {
        System.out.println(answer);
        System.out.flush();
        if (System.out.checkError()) return;
        try {
            confirm(open); // the harness has the text now
        } catch (IOException e) {
            // the daemon offers the notices again
        }
    }

    /** Starts the daemon only at a session's start, which needs the state of its runs; other events can wait. */
    private Optional<SocketChannel> connect() {
        var running = connected();
        boolean needed = running.isEmpty() && event.equals("SessionStart");
        return needed && LauncherScript.start(SECONDS_TO_START) ? connected() : running;
    }

    private static Optional<SocketChannel> connected() {
        try {
            return Optional.of(BridgeMain.connect());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String request(String method, String input) {
        return "{\"method\":\"%s\",\"params\":{\"harness\":%s,\"event\":%s,\"pid\":%d,\"input\":%s}}"
                .formatted(
                        method,
                        MinimalJson.quoted(harness),
                        MinimalJson.quoted(event),
                        ProcessHandle.current().pid(),
                        MinimalJson.quoted(input));
    }

    private String unknown() {
        return "{\"hookSpecificOutput\":{\"hookEventName\":%s,\"additionalContext\":%s}}"
                .formatted(MinimalJson.quoted(event), MinimalJson.quoted("""
                    <roost-notice>
                    The Roost daemon cannot be reached, so the state of your background runs is unknown. Do not assume \
                    that they finished. `roost daemon start` in a shell shows why.
                    </roost-notice>\
                    """));
    }

    /**
     * Waits beside an idle session for a wake; at exit code 2 the harness starts a turn with the text from standard error. Only
     * for interactive sessions: a headless harness would wait for this process.
     */
    private int wake(String input) throws IOException {
        if (!isInteractive()) return 0;
        exitWith(parent());
        while (true) {
            var turn = listen(input, System.err);
            if (turn == WaitResult.DELIVERED) return EXIT_WAKE;
            if (turn == WaitResult.OVER || !LauncherScript.start(SECONDS_TO_RESTART)) return 0;
        }
    }

    /** Wakes a harness that starts a turn for each line of a program; runs as long as the session. */
    private int monitor() throws IOException {
        if (!isInteractive()) return 0;
        exitWith(parent());
        var input =
                MinimalJson.object(Map.of("session_id", System.getenv().getOrDefault("CLAUDE_CODE_SESSION_ID", "")));
        while (true) {
            if (listen(input, System.out) == WaitResult.LOST && !LauncherScript.start(SECONDS_TO_RESTART)) return 0;
            LockSupport.parkNanos(1_000_000_000); // a replaced monitor must not replace its successor at once
        }
    }

    private static boolean isInteractive() {
        String entry = System.getenv().getOrDefault("CLAUDE_CODE_ENTRYPOINT", "cli");
        return entry.equals("cli") && !"0".equals(System.getenv("CLAUDE_CODE_SESSION_ATTENDED"));
    }

    private enum WaitResult {
        DELIVERED,
        /** The daemon ended the wait, or stopped. */
        OVER,
        /** The daemon has died. */
        LOST
    }

    private WaitResult listen(String input, PrintStream out) throws IOException {
        try (var open = BridgeMain.connect()) {
            List<String> lines = new ArrayList<>();
            var line = requestWake(open, input);
            for (; line != null && !line.equals(END); line = line(open)) lines.add(line);
            if (line == null) return lossOrShutdown();
            if (lines.isEmpty()) return WaitResult.OVER;
            out.println(String.join("\n", lines));
            out.flush();
            return confirm(open) ? WaitResult.DELIVERED : WaitResult.OVER;
        } catch (ConnectException e) {
            return lossOrShutdown();
        }
    }

    private @Nullable String requestWake(SocketChannel socket, String input) {
        try {
            BridgeMain.send(socket, request("wake", input));
            return line(socket);
        } catch (IOException e) { // the daemon died before it read the request
            return null;
        }
    }

    /** A daemon that stops removes its socket; one that dies leaves it. */
    private static WaitResult lossOrShutdown() {
        return HomePath.find(System.getenv())
                        .filter(home -> Files.exists(home.resolve("roost.sock")))
                        .isPresent()
                ? WaitResult.LOST
                : WaitResult.OVER;
    }

    private static Optional<ProcessHandle> parent() {
        return Optional.ofNullable(System.getenv("CLAUDE_PID"))
                .filter(pid -> pid.matches("\\d{1,9}"))
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)))
                .or(() -> ProcessHandle.current().parent());
    }

    /** Exits with the harness, so that a killed harness leaves no orphan. */
    private static void exitWith(Optional<ProcessHandle> parent) {
        parent.ifPresent(process -> {
            var _ = process.onExit().thenRun(() -> Runtime.getRuntime().halt(0));
        });
    }

    /** Reports the text as written, and waits until the daemon has recorded that. */
    private static boolean confirm(SocketChannel socket) throws IOException {
        BridgeMain.send(socket, "written");
        return "ok".equals(line(socket));
    }

    /** The next line; null at the end of the stream or after a partial line. */
    private static @Nullable String line(SocketChannel socket) throws IOException {
        var in = Channels.newInputStream(socket);
        var bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') return bytes.toString(StandardCharsets.UTF_8);
            bytes.write(b);
        }
        return null;
    }
}
