package dev.roost.ledger;

import dev.roost.run.Clock;
import java.nio.file.Path;

/** The default ledger: one SQLite file, one writer that commits in groups, readers apart. */
public final class SqliteLedger {

    private SqliteLedger() {}

    /** Opens the ledger in {@code file}, made or migrated as needed. */
    public static Ledger open(Path file, Clock clock) {
        var store = new SqliteFile(file);
        store.migrate();
        return new Ledger(store, clock);
    }
}
