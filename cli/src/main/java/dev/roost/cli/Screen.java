package dev.roost.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The terminal's other screen. The one that was there comes back at the end, also at Ctrl-C. */
final class Screen implements AutoCloseable {

    private static final String ENTER =
            "\033[?1049h\033[?25l\033[?7l"; // no cursor, and nothing runs over into the next line
    private static final String LEAVE = "\033[?7h\033[?25h\033[?1049l";
    private static final long SIZE_HOLDS = 2_000_000_000;

    record Size(int rows, int columns) {}

    private final Thread leave = new Thread(this::leave);
    private List<String> painted = List.of();
    private Size size = new Size(24, Style.columns());
    private long measured;
    private boolean left;

    private Screen() {}

    static boolean possible() {
        return Style.TERMINAL && !"dumb".equals(System.getenv("TERM"));
    }

    static Screen open() {
        var screen = new Screen();
        screen.measure();
        Runtime.getRuntime().addShutdownHook(screen.leave);
        System.out.print(ENTER);
        System.out.flush();
        return screen;
    }

    /** Windows are resized, so it is measured now and then. */
    Size size() {
        if (System.nanoTime() - measured > SIZE_HOLDS) measure();
        return size;
    }

    private void measure() {
        measured = System.nanoTime();
        try {
            var stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            var words = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .strip()
                    .split(" ", -1);
            if (words.length != 2) return;
            var now = new Size(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            if (now.rows() > 0 && now.columns() > 0 && !now.equals(size)) {
                size = now;
                painted = List.of(); // a terminal that changed its size may have lost what it showed
            }
        } catch (IOException | NumberFormatException e) {
            // the size it had will do
        }
    }

    /** Line over line, in one stroke, and only if something differs: so it does not flicker. */
    synchronized void paint(List<String> lines) {
        if (left || lines.equals(painted)) return;
        painted = List.copyOf(lines);
        var text = new StringBuilder("\033[H");
        for (int i = 0; i < lines.size() && i < size.rows(); i++) {
            if (i > 0) text.append("\r\n");
            text.append("\033[2K").append(Style.fitLine(lines.get(i), size.columns()));
        }
        if (lines.size() < size.rows()) text.append("\r\n\033[J");
        System.out.print(text);
        System.out.flush();
    }

    private synchronized void leave() {
        if (!left) System.out.print(LEAVE);
        System.out.flush();
        left = true;
    }

    @Override
    public void close() {
        leave();
        try {
            Runtime.getRuntime().removeShutdownHook(leave);
        } catch (IllegalStateException e) {
            // it is running already
        }
    }
}
