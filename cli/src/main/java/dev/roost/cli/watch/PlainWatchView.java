package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunLines;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Prints the list when it changed; elapsed times do not count. */
public final class PlainWatchView {

    private final Consumer<RunLines> print;
    private @Nullable JsonNode last;
    private boolean gone;

    public PlainWatchView(Consumer<RunLines> print) {
        this.print = print;
    }

    /** Tables with a blank line between them. */
    public static PlainWatchView ofTables() {
        var blank = new Object() {
            boolean wanted;
        };
        return new PlainWatchView(runLines -> {
            if (blank.wanted) System.out.println();
            blank.wanted = true;
            runLines.lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
        });
    }

    /** Takes the current list; prints it if it changed. */
    void now(RunLines runLines) {
        gone = false;
        if (runLines.answer().equals(last)) return;
        last = runLines.answer();
        print.accept(runLines);
    }

    /** Reports once that the daemon is gone. */
    void gone() {
        if (!gone) System.err.println("roost: the daemon is gone; waiting for the next one");
        gone = true;
    }
}
