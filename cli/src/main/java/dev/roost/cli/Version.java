package dev.roost.cli;

/** The version of this program, and the main class by which its command line starts it. */
final class Version {

    /** As the launcher names it. */
    static final String MAIN_CLASS = "dev.roost.cli.Main";

    private Version() {}

    static String number() {
        return System.getProperty("roost.version", "0.1.0");
    }
}
