package dev.roost.cli;

import dev.roost.cli.terminal.Key;

/** What a key means where it was pressed. */
sealed interface Intent {

    /** Down by so many rows; up if negative. */
    record Move(int rows) implements Intent {}

    /** Down by so many screens. */
    record Page(int pages) implements Intent {}

    /** A key for the line that is being typed. */
    record Edit(Key key) implements Intent {}

    enum Plain implements Intent {
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

    /** Where a key is pressed. */
    enum Place {
        LIST,
        RUN,
        QUESTION,
        LINE,
        HELP
    }

    static Intent of(Place place, Key key) {
        if (key.isCtrl('z')) return Plain.SUSPEND;
        if (key.isCtrl('l')) return Plain.REPAINT;
        return switch (place) {
            case LIST -> list(key);
            case RUN -> run(key);
            case QUESTION -> question(key);
            case LINE -> line(key);
            case HELP -> key.isCtrl('c') ? Plain.QUIT : Plain.BACK;
        };
    }

    private static Intent list(Key key) {
        return switch (key.kind()) {
            case ENTER, RIGHT -> Plain.OPEN;
            case ESCAPE -> Plain.BACK;
            case TEXT ->
                switch (key.text()) {
                    case "/" -> Plain.FILTER;
                    case "a" -> Plain.ALL;
                    case "o" -> Plain.OWNER;
                    case "l" -> Plain.OPEN;
                    default -> everywhere(key);
                };
            default -> everywhere(key);
        };
    }

    private static Intent run(Key key) {
        return switch (key.kind()) {
            case ESCAPE, LEFT -> Plain.BACK;
            case TEXT ->
                switch (key.text()) {
                    case "q", "h" -> Plain.BACK;
                    case "F" -> Plain.LAST;
                    case " " -> new Page(1);
                    case "b" -> new Page(-1);
                    default -> everywhere(key);
                };
            default -> everywhere(key);
        };
    }

    private static Intent everywhere(Key key) {
        return switch (key.kind()) {
            case UP -> new Move(-1);
            case DOWN -> new Move(1);
            case PAGE_UP -> new Page(-1);
            case PAGE_DOWN -> new Page(1);
            case HOME -> Plain.FIRST;
            case END -> Plain.LAST;
            case CTRL ->
                switch (key.text()) {
                    case "c" -> Plain.QUIT;
                    case "b", "u" -> new Page(-1);
                    case "f", "d" -> new Page(1);
                    case "p" -> new Move(-1);
                    case "n" -> new Move(1);
                    default -> Plain.NOTHING;
                };
            case TEXT ->
                switch (key.text()) {
                    case "k" -> new Move(-1);
                    case "j" -> new Move(1);
                    case "g" -> Plain.FIRST;
                    case "G" -> Plain.LAST;
                    case "s" -> Plain.STOP;
                    case "m" -> Plain.MESSAGE;
                    case "?" -> Plain.HELP;
                    case "q" -> Plain.QUIT;
                    default -> Plain.NOTHING;
                };
            default -> Plain.NOTHING;
        };
    }

    /** Only a plain y is yes; what was pasted answers nothing. */
    private static Intent question(Key key) {
        if (key.is(Key.Kind.ESCAPE) || key.isCtrl('c')) return Plain.BACK;
        return switch (key.kind() == Key.Kind.TEXT ? key.text() : "") {
            case "y", "Y" -> Plain.YES;
            case "n", "N" -> Plain.NO;
            case "q" -> Plain.BACK;
            default -> Plain.NOTHING;
        };
    }

    private static Intent line(Key key) {
        if (key.is(Key.Kind.ESCAPE) || key.isCtrl('c')) return Plain.BACK;
        if (key.is(Key.Kind.ENTER)) return Plain.ACCEPT;
        return new Edit(key);
    }
}
