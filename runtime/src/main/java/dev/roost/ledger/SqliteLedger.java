package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.ledger.db.SqliteDatabase;
import java.nio.file.Path;

/** The default ledger: one SQLite file, one group-commit writer, separate read connections. */
public final class SqliteLedger {

    private SqliteLedger() {}

    /** Opens the ledger in {@code file}; creates or migrates it if necessary. */
    public static Ledger open(Path file, Clock clock) {
        var database = new SqliteDatabase(file);
        database.migrate();
        return new Ledger(database, clock);
    }
}
