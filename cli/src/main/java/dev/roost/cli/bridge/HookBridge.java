package dev.roost.cli.bridge;

import dev.roost.cli.client.HomePath;
import dev.roost.cli.client.LauncherScript;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.nio.ByteBuffer;
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
 * {@code roost hook HARNESS EVENT}: passes on what the harness says on standard input, and prints what is to be put before its
 * session. It must never hold up or break the session it is called from.
 */
final class HookBridge {

    private static final int LONGEST_INPUT = 1 << 20;
    private static final int SECONDS_TO_START = 5;
    private static final int SECONDS_TO_COME_BACK = 30;
    private static final int WAKES = 2;
    private static final String END = ".end";

    private final String harness;
    private final String event;

    HookBridge(String harness, String event) {
        this.harness = harness;
        this.event = event;
    }

    int run() {
        try {
            var input = event.equals("Monitor")
                    ? "" // whose standard input may stay open
                    : new String(System.in.readNBytes(LONGEST_INPUT), StandardCharsets.UTF_8);
            if (event.equals("Wake")) return wake(input);
            if (event.equals("Monitor")) return monitor();
            var socket = connect();
            if (socket.isEmpty()) {
                if (event.equals("SessionStart")) System.out.println(unknown());
                return 0;
            }
            try (var open = socket.get()) {
                send(open, request("hook", input));
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
            confirm(open); // only now has the harness been given it
        } catch (IOException e) {
            // it is offered again, and once it was given no more is said here
        }
    }

    /** A session that begins is to know of its runs, so the daemon is started for it; other events can wait. */
    private Optional<SocketChannel> connect() {
        try {
            return Optional.of(BridgeMain.connect());
        } catch (IOException e) {
            if (!event.equals("SessionStart") || !LauncherScript.start(SECONDS_TO_START)) return Optional.empty();
        }
        try {
            return Optional.of(BridgeMain.connect());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String request(String method, String input) {
        return "{\"method\":\"%s\",\"params\":{\"harness\":%s,\"event\":%s,\"pid\":%d,\"input\":%s}}\n"
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
                        </roost-notice>"""));
    }

    /**
     * Waits beside an idle session until it is to be woken: with this exit code the harness takes what is on standard error for
     * the next turn. Only where somebody sits before the session: elsewhere the harness would wait for us.
     */
    private int wake(String input) throws IOException {
        if (!isInteractive()) return 0;
        endWith(parent());
        for (var turn = listen(input, System.err); ; turn = listen(input, System.err)) {
            if (turn == WaitResult.TOLD) return WAKES;
            if (turn == WaitResult.OVER || !LauncherScript.start(SECONDS_TO_COME_BACK)) return 0;
        }
    }

    /** The same for a harness that takes every line of a program for a turn: it stays for as long as the session does. */
    private int monitor() throws IOException {
        if (!isInteractive()) return 0;
        endWith(parent());
        var input =
                MinimalJson.object(Map.of("session_id", System.getenv().getOrDefault("CLAUDE_CODE_SESSION_ID", "")));
        for (var turn = listen(input, System.out); ; turn = listen(input, System.out)) {
            if (turn == WaitResult.LOST && !LauncherScript.start(SECONDS_TO_COME_BACK)) return 0;
            LockSupport.parkNanos(1_000_000_000); // who is replaced by another must not push back at once
        }
    }

    private static boolean isInteractive() {
        String entry = System.getenv().getOrDefault("CLAUDE_CODE_ENTRYPOINT", "cli");
        return entry.equals("cli") && !"0".equals(System.getenv("CLAUDE_CODE_SESSION_ATTENDED"));
    }

    private enum WaitResult {
        TOLD,
        /** There is no need to wait any more, or nobody to wait for. */
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
            return confirm(open) ? WaitResult.TOLD : WaitResult.OVER;
        } catch (ConnectException e) {
            return lossOrShutdown();
        }
    }

    private @Nullable String requestWake(SocketChannel socket, String input) {
        try {
            send(socket, request("wake", input));
            return line(socket);
        } catch (IOException e) { // it died before it had read the question
            return null;
        }
    }

    /** A daemon that is told to stop removes its socket; one that dies cannot. */
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

    /** Who is killed leaves us behind: there is nobody to wake then. */
    private static void endWith(Optional<ProcessHandle> parent) {
        parent.ifPresent(process -> {
            var _ = process.onExit().thenRun(() -> Runtime.getRuntime().halt(0));
        });
    }

    /** Before the harness goes on, it is written down that it was told. */
    private static boolean confirm(SocketChannel socket) throws IOException {
        send(socket, "written\n");
        return "ok".equals(line(socket));
    }

    /** The next line; null if there is no whole one any more. */
    private static @Nullable String line(SocketChannel socket) throws IOException {
        var in = Channels.newInputStream(socket);
        var bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') return bytes.toString(StandardCharsets.UTF_8);
            bytes.write(b);
        }
        return null;
    }

    private static void send(SocketChannel socket, String line) throws IOException {
        var bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) socket.write(bytes);
    }
}
