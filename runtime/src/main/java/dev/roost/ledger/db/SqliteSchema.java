package dev.roost.ledger.db;

import dev.roost.base.Broken;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.sqlite.SQLiteDataSource;

/** Brings a ledger's tables up to date: all of the way or not at all, and with a copy of how they were. */
public record SqliteSchema(SqliteDatabase store, Path file) {

    private static final System.Logger LOG = System.getLogger(SqliteSchema.class.getName());

    /** No package has such a name, so its files can be read from outside when this is a module. */
    private static final String MIGRATIONS = "classpath:dev/roost/ledger/db/sqlite-migrations";

    void migrate(SQLiteDataSource source) {
        var flyway = Flyway.configure()
                .dataSource(source)
                .locations(MIGRATIONS)
                .validateMigrationNaming(true)
                .group(true)
                .load();
        var current = flyway.info().current();
        if (current != null && isFuture(current)) throw newer(flyway, current);
        if (current != null && flyway.info().pending().length > 0) upgrade(flyway, current);
        else flyway.migrate();
    }

    private static boolean isFuture(MigrationInfo one) {
        return one.getState().name().startsWith("FUTURE");
    }

    private Path before(MigrationInfo one) {
        return Path.of(file + ".v" + one.getVersion() + ".bak");
    }

    private void upgrade(Flyway flyway, MigrationInfo current) {
        var before = before(current);
        copy(before);
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            if (!store.isFull(e)) throw e;
            throw new Broken(
                    "disk_full",
                    "The disk that holds the home is full, so the ledger could not be brought up to date.",
                    "Free some space and start again; the ledger is as it was, and so is its back-up %s."
                            .formatted(before));
        }
        LOG.log(
                System.Logger.Level.INFO,
                "the ledger was brought from schema {0} to {1}; as it was before, it is kept in {2}",
                current.getVersion(),
                flyway.info().current().getVersion(),
                before);
    }

    private void copy(Path before) {
        try {
            store.copy(before);
        } catch (IOException | RuntimeException e) {
            boolean full = store.isFull(e);
            throw new Broken(
                    full ? "disk_full" : "backup_failed",
                    "The back-up %s, which is made before an upgrade, cannot be written: %s."
                            .formatted(before, TextFormat.why(e)),
                    full
                            ? "Free some space and start again; the ledger was not touched."
                            : "Make the home writable, and check its disk; the ledger was not touched.");
        }
    }

    private Broken newer(Flyway flyway, MigrationInfo current) {
        var before = Stream.of(flyway.info().all())
                .filter(known -> !isFuture(known))
                .map(this::before)
                .filter(Files::exists)
                .reduce((_, later) -> later);
        return new Broken(
                "ledger_newer",
                "The ledger %s was written by a newer Roost (schema %s).".formatted(file, current.getVersion()),
                "Use that version of Roost, or another ROOST_HOME. The ledger was not touched."
                        + before.map(
                                        " As it was before that version came, without the runs since: roost daemon restore %s."
                                                ::formatted)
                                .orElse(""));
    }
}
