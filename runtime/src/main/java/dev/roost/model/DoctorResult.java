package dev.roost.model;

import java.util.Locale;
import java.util.Optional;

/** The result of one doctor check. */
public record DoctorResult(String what, Severity level, String message, Optional<String> fix) {

    public enum Severity {
        GOOD,
        WARNING,
        BAD;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static DoctorResult good(String what, String message) {
        return new DoctorResult(what, Severity.GOOD, message, Optional.empty());
    }

    public static DoctorResult warning(String what, String message, String fix) {
        return new DoctorResult(what, Severity.WARNING, message, Optional.of(fix));
    }

    public static DoctorResult bad(String what, String message, String fix) {
        return new DoctorResult(what, Severity.BAD, message, Optional.of(fix));
    }
}
