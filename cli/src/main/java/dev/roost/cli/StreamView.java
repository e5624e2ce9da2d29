package dev.roost.cli;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** For pipes and files: prints the list when it changed. That time goes by is no change. */
final class StreamView {

    private final Consumer<Listing> print;
    private @Nullable JsonNode last;
    private boolean gone;

    StreamView(Consumer<Listing> print) {
        this.print = print;
    }

    /** Tables with a blank line between them. */
    static StreamView ofTables() {
        var blank = new Object() {
            boolean wanted;
        };
        return new StreamView(listing -> {
            if (blank.wanted) System.out.println();
            blank.wanted = true;
            listing.lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
        });
    }

    /** What the daemon says now, whether it changed or not. */
    void now(Listing listing) {
        gone = false;
        if (listing.answer().equals(last)) return;
        last = listing.answer();
        print.accept(listing);
    }

    /** The daemon is gone, and what was shown last may have changed since. */
    void gone() {
        if (!gone) System.err.println("roost: the daemon is gone; waiting for the next one");
        gone = true;
    }
}
