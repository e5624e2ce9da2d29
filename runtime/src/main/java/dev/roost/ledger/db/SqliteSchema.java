package dev.roost.ledger.db;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.sqlite.SQLiteDataSource;

/** Migrates a ledger's tables completely or not at all, after a backup. */
public record SqliteSchema(SqliteDatabase store, Path file) {

    private static final System.Logger LOG = System.getLogger(SqliteSchema.class.getName());

    /** Not a valid package name, so the files of this module can be read from other modules. */
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

    private Path backup(MigrationInfo one) {
        return Path.of(file + ".v" + one.getVersion() + ".bak");
    }

    private void upgrade(Flyway flyway, MigrationInfo current) {
        var backup = backup(current);
        copy(backup);
        try {
            flyway.migrate();
        } catch (FlywayException e) {
            if (!store.isFull(e)) throw e;
            throw ErrorCode.DISK_FULL.error(
                    "The disk that holds the home is full, so the ledger could not be migrated.",
                    "Free some space and start again. The ledger is unchanged, and its backup is %s."
                            .formatted(backup));
        }
        LOG.log(
                System.Logger.Level.INFO,
                "the ledger was migrated from schema {0} to {1}; the backup of the old ledger is {2}",
                current.getVersion(),
                flyway.info().current().getVersion(),
                backup);
    }

    private void copy(Path backup) {
        try {
            store.copy(backup);
        } catch (IOException | RuntimeException e) {
            boolean full = store.isFull(e);
            throw (full ? ErrorCode.DISK_FULL : ErrorCode.BACKUP_FAILED)
                    .error(
                            "The backup %s, which is made before a migration, cannot be written: %s."
                                    .formatted(backup, TextFormat.why(e)),
                            full
                                    ? "Free some space and start again; the ledger is unchanged."
                                    : "Make the home writable, and check its disk; the ledger is unchanged.");
        }
    }

    private RoostError newer(Flyway flyway, MigrationInfo current) {
        var backup = Stream.of(flyway.info().all())
                .filter(known -> !isFuture(known))
                .map(this::backup)
                .filter(Files::exists)
                .reduce((_, later) -> later);
        return ErrorCode.LEDGER_NEWER.error(
                "The ledger %s was written by a newer Roost (schema %s).".formatted(file, current.getVersion()),
                "Use that version of Roost, or another ROOST_HOME. The ledger is unchanged."
                        + backup.map(
                                        " To go back to the ledger before that version, without later runs: roost daemon restore %s."
                                                ::formatted)
                                .orElse(""));
    }
}
