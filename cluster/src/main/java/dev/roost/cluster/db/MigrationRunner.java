package dev.roost.cluster.db;

/** Makes or changes the tables, for a role that owns them; nodes then need no more than to read and write rows. */
public final class MigrationRunner {

    private MigrationRunner() {}

    /** The schema that is there afterwards. */
    public static String run(String address) {
        var parsed = DatabaseAddress.parse(address);
        var source = parsed.withoutTimeout("roost migrates");
        ConnectionCheck.attempt(parsed, source);
        PostgresSchema.bringUpToDate(source);
        PostgresSchema.keepHistory(source);
        return PostgresSchema.version(source);
    }
}
