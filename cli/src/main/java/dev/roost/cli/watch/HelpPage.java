package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import java.util.List;

/** The keys of the full-screen view. */
final class HelpPage {

    private HelpPage() {}

    static List<String> lines() {
        return List.of(
                Style.bold("roost ps --watch: keys"),
                "↑ ↓ j k      a row up or down",
                "PgUp PgDn    a screen (Space, b)",
                "g G          first, last",
                "Enter l →    open the run",
                "q Esc ←      back; in the list: quit",
                "s            stop the run (asks first)",
                "m            send it a message, or",
                "       answer its question",
                "/      filter by words",
                "a      all, or live and unread",
                "o      next owner's runs only",
                "F End        follow the output again",
                "Ctrl-L       repaint",
                "Ctrl-Z       suspend; fg comes back",
                "Ctrl-C       quit");
    }
}
