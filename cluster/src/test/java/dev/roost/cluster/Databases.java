package dev.roost.cluster;

/** Databases of the shared server with the tables in them. */
final class Databases {

    private static final String TEMPLATE = template();

    private Databases() {}

    private static String template() {
        var address = RealPostgres.shared().newDatabase();
        Schema.bringUpToDate(Address.parse(address).source("a test", 0));
        return address;
    }

    static String fresh() {
        return RealPostgres.shared().newDatabaseLike(TEMPLATE);
    }
}
