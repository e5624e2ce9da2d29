package dev.roost.cluster;

import dev.roost.run.Broken;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** The tables, and whether this program may use them. */
final class Schema {

    private static final String MIGRATIONS = "classpath:dev/roost/cluster/postgresql";

    private Schema() {}

    /** Makes or changes the tables as needed. A newer program's are used where that says that older ones may. */
    static void bringUpToDate(DataSource source) {
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
            if (flyway.info().pending().length > 0) flyway.migrate();
        } catch (FlywayException e) {
            throw new Broken(
                    "ledger_broken",
                    "The shared ledger cannot be opened: %s."
                            .formatted(String.valueOf(e.getMessage()).strip()),
                    "Look at the database, its address and what the role may do there; nothing was changed.");
        }
    }

    private static int newestKnown(Flyway flyway) {
        int newest = 0;
        for (var one : flyway.info().all()) {
            boolean ours = !one.getState().name().startsWith("FUTURE");
            if (ours && one.getVersion() != null)
                newest = Math.max(newest, one.getVersion().getMajor().intValue());
        }
        return newest;
    }

    private static void refuseIfTooOld(DataSource source, int ours, String theirs) {
        int oldest = Postgres.jdbi(source)
                .withHandle(handle -> handle.select("SELECT value FROM fact WHERE name = 'oldest_schema'")
                        .mapTo(Integer.class)
                        .one());
        if (oldest > ours) {
            throw new Broken(
                    "ledger_newer",
                    "The shared ledger is of a newer Roost (schema %s), and this one (schema %d) is too old for it."
                            .formatted(theirs, ours),
                    "Upgrade Roost on this machine.");
        }
    }
}
