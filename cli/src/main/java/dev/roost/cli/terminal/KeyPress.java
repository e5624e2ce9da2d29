package dev.roost.cli.terminal;

/** A pressed key; {@code text}: the typed or pasted text, or the letter of a Ctrl key. */
public record KeyPress(Kind kind, String text) {

    public enum Kind {
        TEXT,
        PASTE,
        CTRL,
        ENTER,
        ESCAPE,
        BACKSPACE,
        DELETE,
        TAB,
        UP,
        DOWN,
        LEFT,
        RIGHT,
        HOME,
        END,
        PAGE_UP,
        PAGE_DOWN,
        UNKNOWN
    }

    public static KeyPress of(Kind kind) {
        return new KeyPress(kind, "");
    }

    public static KeyPress typed(String text) {
        return new KeyPress(Kind.TEXT, text);
    }

    public static KeyPress ctrl(char letter) {
        return new KeyPress(Kind.CTRL, String.valueOf(letter));
    }

    /** The typed letter, {@code ^c} for a Ctrl key, else the kind. */
    public String name() {
        return switch (kind) {
            case TEXT -> text;
            case CTRL -> "^" + text;
            default -> kind.name();
        };
    }
}
