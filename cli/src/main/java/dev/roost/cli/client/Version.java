package dev.roost.cli.client;

/** Version and main class of this program. */
public final class Version {

    /** Same name as in the launcher script. */
    public static final String MAIN_CLASS = "dev.roost.cli.CliMain";

    private Version() {}

    public static String number() {
        return System.getProperty("roost.version", "0.1.0");
    }
}
