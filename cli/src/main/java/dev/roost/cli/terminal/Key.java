package dev.roost.cli.terminal;

/** What somebody pressed; {@code text} is what was typed or pasted, or the letter that went with Ctrl. */
public record Key(Kind kind, String text) {

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

    public static Key of(Kind kind) {
        return new Key(kind, "");
    }

    public static Key typed(String text) {
        return new Key(Kind.TEXT, text);
    }

    public static Key ctrl(char letter) {
        return new Key(Kind.CTRL, String.valueOf(letter));
    }

    public boolean is(Kind other) {
        return kind == other;
    }

    public boolean isCtrl(char letter) {
        return equals(ctrl(letter));
    }
}
