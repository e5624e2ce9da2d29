package dev.roost.cluster;

/** Makes or changes the tables, for a role that owns them; nodes then need no more than to read and write rows. */
public final class Migration {

    private Migration() {}

    /** The schema that is there afterwards. */
    public static String run(String address) {
        var source = Address.parse(address).source("roost migrates", 0);
        source.setSocketTimeout(0); // a big table may take its time
        Schema.bringUpToDate(source);
        return Schema.version(source);
    }
}
