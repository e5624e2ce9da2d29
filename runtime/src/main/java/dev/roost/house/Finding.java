package dev.roost.house;

import java.util.Locale;
import java.util.Optional;

/** One thing the doctor looked at. */
public record Finding(String what, Level level, String message, Optional<String> fix) {

    public enum Level {
        GOOD,
        WARNING,
        BAD;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Finding good(String what, String message) {
        return new Finding(what, Level.GOOD, message, Optional.empty());
    }

    public static Finding warning(String what, String message, String fix) {
        return new Finding(what, Level.WARNING, message, Optional.of(fix));
    }

    public static Finding bad(String what, String message, String fix) {
        return new Finding(what, Level.BAD, message, Optional.of(fix));
    }
}
