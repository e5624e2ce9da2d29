package dev.roost.cli.client;

/** The version of this program, and the main class by which its command line starts it. */
public final class Version {

    /** As the launcher names it. */
    public static final String MAIN_CLASS = "dev.roost.cli.CliMain";

    private Version() {}

    public static String number() {
        return System.getProperty("roost.version", "0.1.0");
    }
}
