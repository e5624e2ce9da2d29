package dev.roost.cluster.db;

/** Creates or migrates the tables with the role that owns them, so that nodes need only read and write rows. */
public final class MigrationRunner {

    private MigrationRunner() {}

    /** Returns the schema version after the migration. */
    public static String run(String address) {
        var parsed = DatabaseAddress.parse(address);
        var source = parsed.withoutTimeout("roost migrates");
        ConnectionCheck.attempt(parsed, source);
        PostgresSchema.bringUpToDate(source);
        PostgresSchema.keepHistory(source);
        return PostgresSchema.version(source);
    }
}
