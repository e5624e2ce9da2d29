package dev.roost.model;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import java.util.Locale;

/** Which notices of a run are sent to its owner unasked. */
public enum Notify {
    /** The run's end and its questions. */
    DONE,
    /** Also when the run starts, is parked, or is resumed after a loss. */
    CHANGES,
    /** None: the notices wait in the inbox. */
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
                throw ErrorCode.BAD_FIELD.error(
                        "notify=%s is not one of done, changes, silent.".formatted(TextFormat.printable(word)),
                        "Pass one of them, or omit it for done.");
        };
    }
}
