package dev.roost.model;

import dev.roost.base.BadInput;
import dev.roost.base.TextFormat;
import java.util.Locale;

/** What an owner wants to be told of a run without asking. */
public enum Notify {
    /** Its end, and its questions. */
    DONE,
    /** Also when it begins, is parked, or is taken up again after a loss. */
    CHANGES,
    /** Nothing: its notices wait in the inbox. */
    SILENT;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Notify of(String word) {
        return switch (word) {
            case "done" -> DONE;
            case "changes" -> CHANGES;
            case "silent" -> SILENT;
            default ->
                throw new BadInput(
                        "bad_field",
                        "notify=%s is not one of done, changes, silent.".formatted(TextFormat.printable(word)),
                        "Pass one of them, or omit it for done.");
        };
    }
}
