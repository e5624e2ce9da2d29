package dev.roost.cli.edit;

/** A file that is left alone, because it is not what it should be or holds something of somebody else's in our place. */
public final class NotEditable extends RuntimeException {

    private final boolean commented;

    private NotEditable(String why, boolean commented) {
        super(why);
        this.commented = commented;
    }

    /** {@code why} goes on from the file's name: "is not valid JSON: …". */
    public static NotEditable because(String why) {
        return new NotEditable(why, false);
    }

    static NotEditable commented() {
        return new NotEditable("has comments or trailing commas, which plain JSON has not", true);
    }

    /** Whether a program that allows comments could read it. */
    public boolean isCommented() {
        return commented;
    }

    public String why() {
        return String.valueOf(getMessage());
    }
}
