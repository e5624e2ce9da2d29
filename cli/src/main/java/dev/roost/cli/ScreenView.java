package dev.roost.cli;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** For a terminal: a line of counts with the time, and below it as many runs as there is room for. */
final class ScreenView implements WatchView {

    private static final int AROUND_THE_RUNS = 4; // the counts, a blank line, the heads, and what is left off

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final Screen screen;
    private List<String> last = List.of();

    ScreenView(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void now(Listing listing, String counts) {
        var size = screen.size();
        last = listing.lines(size.columns(), Math.max(1, size.rows() - AROUND_THE_RUNS));
        paint(size, Style.bold("roost") + "  " + counts);
    }

    /** The rows stay as they were: nobody can say how they are now. */
    @Override
    public void gone() {
        paint(screen.size(), Style.red("roost  the daemon is gone; this is what it said last"));
    }

    private void paint(Screen.Size size, String head) {
        String time = LocalTime.now(ZoneId.systemDefault()).format(TIME);
        var lines = new ArrayList<String>();
        lines.add(Style.pad(head, size.columns() - time.length()) + Style.dim(time));
        lines.add("");
        lines.addAll(last);
        screen.paint(lines);
    }

    @Override
    public void close() {
        screen.close();
    }
}
