package dev.roost.cluster.testing;

import dev.roost.cluster.db.DatabaseAddress;
import dev.roost.cluster.db.PostgresSchema;

/** Databases of the shared server with the tables in them. */
public final class SchemaDatabases {

    private static final String TEMPLATE = template();

    private SchemaDatabases() {}

    private static String template() {
        var address = PostgresServer.shared().newDatabase();
        PostgresSchema.bringUpToDate(DatabaseAddress.parse(address).source("a test", 0));
        return address;
    }

    public static String fresh() {
        return PostgresServer.shared().newDatabaseLike(TEMPLATE);
    }
}
