package dev.roost.cli.edit;

/** A file that Roost does not edit: it is invalid, or another entry has the place of Roost's. */
public final class NotEditable extends RuntimeException {

    private final boolean commented;

    private NotEditable(String why, boolean commented) {
        super(why);
        this.commented = commented;
    }

    /** {@code why} continues a sentence that begins with the file's name: "is not valid JSON: …". */
    public static NotEditable because(String why) {
        return new NotEditable(why, false);
    }

    static NotEditable commented() {
        return new NotEditable("has comments or trailing commas, which plain JSON does not allow", true);
    }

    /** Whether the file is valid JSON with comments. */
    public boolean isCommented() {
        return commented;
    }

    public String why() {
        return String.valueOf(getMessage());
    }
}
