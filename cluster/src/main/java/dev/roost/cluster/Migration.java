package dev.roost.cluster;

/** Makes or changes the tables, for a role that owns them; nodes then need no more than to read and write rows. */
public final class Migration {

    private Migration() {}

    /** The schema that is there afterwards. */
    public static String run(String address) {
        var parsed = Address.parse(address);
        var source = parsed.patient("roost migrates");
        Reaching.attempt(parsed, source);
        Schema.bringUpToDate(source);
        Schema.keepHistory(source);
        return Schema.version(source);
    }
}
