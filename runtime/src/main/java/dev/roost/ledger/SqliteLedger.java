package dev.roost.ledger;

import dev.roost.base.Clock;
import dev.roost.ledger.db.SqliteDatabase;
import java.nio.file.Path;

/** The default ledger: one SQLite file, one writer that commits in groups, readers apart. */
public final class SqliteLedger {

    private SqliteLedger() {}

    /** Opens the ledger in {@code file}, made or migrated as needed. */
    public static Ledger open(Path file, Clock clock) {
        var store = new SqliteDatabase(file);
        store.migrate();
        return new Ledger(store, clock);
    }
}
