package dev.roost.cli.terminal;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The controlling terminal in raw mode, on the alternate screen. A helper shell (holder.sh) sets it up, reports its size, and
 * restores it when this process ends, also after a kill.
 */
public final class Terminal implements AutoCloseable {

    private static final String SCRIPT = script();
    private static final int RESTORE_TIMEOUT_SECONDS = 5;

    /** Receives events on threads of the terminal. */
    public interface Listener {
        void typed(byte[] bytes);

        void resized(TerminalSize size);

        /** The terminal was closed. */
        void gone();
    }

    private final PrintStream out;
    private final Listener listener;
    private final Thread leave = new Thread(this::leave);
    private List<String> painted = List.of();
    private TerminalSize size = new TerminalSize(24, 80);
    private @Nullable Process holder;

    private Terminal(PrintStream out, Listener listener) {
        this.out = out;
        this.listener = listener;
    }

    /** Empty if there is no terminal. */
    public static Optional<Terminal> open(PrintStream out, Listener listener) {
        var terminal = new Terminal(out, listener);
        Runtime.getRuntime().addShutdownHook(terminal.leave);
        try {
            var keys = new FileInputStream("/dev/tty");
            if (terminal.enter()) {
                Thread.ofPlatform().daemon().name("keys").start(() -> terminal.read(keys));
                return Optional.of(terminal);
            }
            keys.close();
        } catch (IOException e) {
            // no terminal
        }
        terminal.close();
        return Optional.empty();
    }

    private synchronized boolean enter() throws IOException {
        var process = new ProcessBuilder("sh", "-c", SCRIPT)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var lines = process.inputReader(StandardCharsets.US_ASCII);
        var first = lines.readLine();
        if (first == null) return false;
        holder = process;
        painted = List.of();
        resize(first);
        Thread.ofPlatform().daemon().name("size").start(() -> sizes(lines));
        return true;
    }

    private void sizes(BufferedReader lines) {
        try {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                resize(line);
                listener.resized(size());
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** Sets the size and forces a full repaint. */
    private synchronized void resize(String line) {
        try {
            var words = line.split(" ", -1);
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[words.length - 1]);
            if (rows > 0 && columns > 0) size = new TerminalSize(rows, columns);
        } catch (NumberFormatException e) {
            // keep the old size
        }
        painted = List.of();
    }

    private void read(InputStream keys) {
        var bytes = new byte[4096];
        try (keys) {
            for (int n = keys.read(bytes); n > 0; n = keys.read(bytes)) listener.typed(Arrays.copyOf(bytes, n));
        } catch (IOException e) {
            // hung up
        }
        listener.gone();
    }

    public synchronized TerminalSize size() {
        return size;
    }

    /** Repaints the rows that changed, in one write. */
    public synchronized void paint(List<String> lines) {
        if (holder == null) return;
        var text = new StringBuilder();
        if (painted.isEmpty()) text.append("\033[0m\033[2J");
        for (int row = 0; row < size.rows(); row++) {
            var line = row < lines.size() ? lines.get(row) : "";
            if (row < painted.size() ? painted.get(row).equals(line) : line.isEmpty()) continue;
            text.append("\033[").append(row + 1).append(";1H");
            var fit = SafeText.fit(line, size.columns());
            text.append(fit).append("\033[0m");
            // after a full line, the cursor is still on its last character
            if (SafeText.width(fit) < size.columns()) text.append("\033[K");
        }
        painted = List.copyOf(lines);
        if (text.isEmpty()) return;
        out.print(text);
        out.flush();
    }

    public synchronized void forget() {
        painted = List.of();
    }

    /** Restores the terminal and suspends the process, as Ctrl-Z does; returns after fg. */
    public void suspend() throws IOException {
        leave();
        try {
            // to the process group, as the terminal does
            new ProcessBuilder("sh", "-c", "kill -TSTP 0").inheritIO().start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!enter()) listener.gone();
    }

    private synchronized void leave() {
        var process = holder;
        holder = null;
        if (process == null) return;
        try {
            process.getOutputStream().close();
            if (!process.waitFor(RESTORE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (IOException e) {
            // already exited
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        leave();
        try {
            Runtime.getRuntime().removeShutdownHook(leave);
        } catch (IllegalStateException e) {
            // the JVM is shutting down
        }
    }

    private static String script() {
        try (var script = Terminal.class.getResourceAsStream("holder.sh")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
