package dev.roost.cluster.db;

import java.sql.SQLException;

/** What went wrong with the database, in its own words: never a statement with its values, never an address. */
public final class DatabaseErrors {

    private DatabaseErrors() {}

    public static String why(Throwable e) {
        String why = e.getClass().getSimpleName();
        for (var at = e; at != null; at = at.getCause()) {
            if (at instanceof SQLException said) why = firstLine(String.valueOf(said.getMessage()));
        }
        return why; // what was said first, before others put their own words around it
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
