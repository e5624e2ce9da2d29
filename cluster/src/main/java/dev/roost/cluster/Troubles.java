package dev.roost.cluster;

import java.sql.SQLException;

/** What went wrong with the database, in its own words: never a statement with its values, never an address. */
final class Troubles {

    private Troubles() {}

    static String why(Throwable e) {
        for (var at = e; at != null; at = at.getCause()) {
            if (at instanceof SQLException said) return firstLine(String.valueOf(said.getMessage()));
        }
        return e.getClass().getSimpleName();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
