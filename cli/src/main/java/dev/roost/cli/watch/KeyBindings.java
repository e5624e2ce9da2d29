package dev.roost.cli.watch;

import dev.roost.cli.terminal.KeyPress;

/** The meaning of a key in its context. */
sealed interface KeyBindings {

    /** Moves down by {@code rows}; up if negative. */
    record Move(int rows) implements KeyBindings {}

    /** Moves down by {@code pages} screens. */
    record Page(int pages) implements KeyBindings {}

    /** A key for the line editor. */
    record Edit(KeyPress key) implements KeyBindings {}

    enum SimpleIntent implements KeyBindings {
        NOTHING,
        FIRST,
        LAST,
        OPEN,
        BACK,
        QUIT,
        FILTER,
        ALL,
        OWNER,
        STOP,
        MESSAGE,
        YES,
        NO,
        ACCEPT,
        HELP,
        REPAINT,
        SUSPEND
    }

    enum InputContext {
        LIST,
        RUN,
        QUESTION,
        LINE,
        HELP
    }

    static KeyBindings of(InputContext place, KeyPress key) {
        if (key.isCtrl('z')) return SimpleIntent.SUSPEND;
        if (key.isCtrl('l')) return SimpleIntent.REPAINT;
        return switch (place) {
            case LIST -> list(key);
            case RUN -> run(key);
            case QUESTION -> question(key);
            case LINE -> line(key);
            case HELP -> key.isCtrl('c') ? SimpleIntent.QUIT : SimpleIntent.BACK;
        };
    }

    private static KeyBindings list(KeyPress key) {
        return switch (key.kind()) {
            case ENTER, RIGHT -> SimpleIntent.OPEN;
            case ESCAPE -> SimpleIntent.BACK;
            case TEXT ->
                switch (key.text()) {
                    case "/" -> SimpleIntent.FILTER;
                    case "a" -> SimpleIntent.ALL;
                    case "o" -> SimpleIntent.OWNER;
                    case "l" -> SimpleIntent.OPEN;
                    default -> common(key);
                };
            default -> common(key);
        };
    }

    private static KeyBindings run(KeyPress key) {
        return switch (key.kind()) {
            case ESCAPE, LEFT -> SimpleIntent.BACK;
            case TEXT ->
                switch (key.text()) {
                    case "q", "h" -> SimpleIntent.BACK;
                    case "F" -> SimpleIntent.LAST;
                    case " " -> new Page(1);
                    case "b" -> new Page(-1);
                    default -> common(key);
                };
            default -> common(key);
        };
    }

    private static KeyBindings common(KeyPress key) {
        return switch (key.kind()) {
            case UP -> new Move(-1);
            case DOWN -> new Move(1);
            case PAGE_UP -> new Page(-1);
            case PAGE_DOWN -> new Page(1);
            case HOME -> SimpleIntent.FIRST;
            case END -> SimpleIntent.LAST;
            case CTRL ->
                switch (key.text()) {
                    case "c" -> SimpleIntent.QUIT;
                    case "b", "u" -> new Page(-1);
                    case "f", "d" -> new Page(1);
                    case "p" -> new Move(-1);
                    case "n" -> new Move(1);
                    default -> SimpleIntent.NOTHING;
                };
            case TEXT ->
                switch (key.text()) {
                    case "k" -> new Move(-1);
                    case "j" -> new Move(1);
                    case "g" -> SimpleIntent.FIRST;
                    case "G" -> SimpleIntent.LAST;
                    case "s" -> SimpleIntent.STOP;
                    case "m" -> SimpleIntent.MESSAGE;
                    case "?" -> SimpleIntent.HELP;
                    case "q" -> SimpleIntent.QUIT;
                    default -> SimpleIntent.NOTHING;
                };
            default -> SimpleIntent.NOTHING;
        };
    }

    /** Only a typed y is yes; pasted text is ignored. */
    private static KeyBindings question(KeyPress key) {
        if (key.is(KeyPress.Kind.ESCAPE) || key.isCtrl('c')) return SimpleIntent.BACK;
        return switch (key.kind() == KeyPress.Kind.TEXT ? key.text() : "") {
            case "y", "Y" -> SimpleIntent.YES;
            case "n", "N" -> SimpleIntent.NO;
            case "q" -> SimpleIntent.BACK;
            default -> SimpleIntent.NOTHING;
        };
    }

    private static KeyBindings line(KeyPress key) {
        if (key.is(KeyPress.Kind.ESCAPE) || key.isCtrl('c')) return SimpleIntent.BACK;
        if (key.is(KeyPress.Kind.ENTER)) return SimpleIntent.ACCEPT;
        return new Edit(key);
    }
}
