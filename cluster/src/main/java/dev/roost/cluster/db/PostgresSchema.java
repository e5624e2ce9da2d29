package dev.roost.cluster.db;

import dev.roost.base.ErrorCode;
import dev.roost.ledger.db.SqlConnection;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Migrates the tables, and checks whether this version may use them. */
public final class PostgresSchema {

    private static final String MIGRATIONS = "classpath:dev/roost/cluster/db/postgresql";

    private PostgresSchema() {}

    /** Migrates with the role that owns the tables, so that nodes need only read and write rows; returns the new version. */
    public static String migrate(String address) {
        var parsed = DatabaseAddress.parse(address);
        var source = parsed.withoutTimeout("roost migrates");
        ConnectionCheck.attempt(parsed, source);
        bringUpToDate(source);
        keepHistory(source);
        return version(source);
    }

    /** Migrates the tables as needed. Tables of a newer version are used if that version permits it. */
    public static void bringUpToDate(DataSource source) {
        try {
            var flyway = Flyway.configure()
                    .dataSource(source)
                    .locations(MIGRATIONS)
                    .validateMigrationNaming(true)
                    .ignoreMigrationPatterns("*:future")
                    .load();
            var current = flyway.info().current();
            if (current != null && current.getState().name().startsWith("FUTURE")) {
                refuseIfTooOld(source, newestKnown(flyway), String.valueOf(current.getVersion()));
                return;
            }
            if (flyway.info().pending().length == 0) return;
            refuseIfNotOurs(source);
            flyway.migrate();
        } catch (FlywayException e) {
            throw ErrorCode.LEDGER_BROKEN.error(
                    "The shared ledger cannot be opened: %s."
                            .formatted(String.valueOf(e.getMessage()).strip()),
                    "Check the database, its address and the role's rights; nothing was changed.");
        }
    }

    /** Refuses before any change if the role may not create or alter tables. */
    private static void refuseIfNotOurs(DataSource source) {
        boolean may =
                new ConnectionSource(source).with(handle -> handle.select("""
                                SELECT has_schema_privilege(current_schema(), 'CREATE')
                                   AND coalesce((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
                                                  WHERE oid = to_regclass('run')), TRUE)
                                """).one(SqlConnection::truth));
        if (may) return;
        throw ErrorCode.LEDGER_NOT_MIGRATED.error(
                "The shared ledger's tables must be migrated for this version of Roost, and this role may not change them.");
    }

    /** Revokes writing to the migration history from all roles but its owner, whatever default privileges they have. */
    private static void keepHistory(DataSource source) {
        new ConnectionSource(source).use(handle -> handle.execute("""
                DO $$
                DECLARE
                    who TEXT;
                BEGIN
                    FOR who IN SELECT DISTINCT grantee FROM information_schema.role_table_grants
                                WHERE table_schema = current_schema() AND table_name = 'flyway_schema_history'
                                  AND grantee <> current_user
                    LOOP
                        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON flyway_schema_history FROM %I', who);
                    END LOOP;
                END $$
                """));
    }

    private static String version(DataSource source) {
        return new ConnectionSource(source).with(handle -> handle.select("""
                                SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL
                                 ORDER BY installed_rank DESC LIMIT 1
                                """).one(SqlConnection::text));
    }

    private static int newestKnown(Flyway flyway) {
        int newest = 0;
        for (var migration : flyway.info().all()) {
            boolean known = !migration.getState().name().startsWith("FUTURE");
            if (known && migration.getVersion() != null)
                newest = Math.max(newest, migration.getVersion().getMajor().intValue());
        }
        return newest;
    }

    private static void refuseIfTooOld(DataSource source, int known, String actual) {
        int oldest = new ConnectionSource(source)
                .with(handle -> handle.select("SELECT value FROM fact WHERE name = 'oldest_schema'")
                        .one(SqlConnection::count));
        if (oldest > known) {
            throw ErrorCode.LEDGER_NEWER.error(
                    "The shared ledger was written by a newer Roost (schema %s), which this version (schema %d) cannot use."
                            .formatted(actual, known));
        }
    }
}
