package dev.roost.cluster.db;

import java.sql.SQLException;

/** The database's own error message, without the statement's values and without the address. */
public final class DatabaseErrors {

    private DatabaseErrors() {}

    public static String why(Throwable e) {
        String why = e.getClass().getSimpleName();
        for (var at = e; at != null; at = at.getCause()) {
            if (at instanceof SQLException sqlException) why = firstLine(String.valueOf(sqlException.getMessage()));
        }
        return why; // the innermost cause, before it was wrapped
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
