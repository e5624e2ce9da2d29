package dev.roost.cli.watch;

import dev.roost.cli.terminal.KeyPress;

/** What a key does, depending on where it is pressed. */
enum KeyAction {
    NOTHING,
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
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
    EDIT,
    HELP,
    REPAINT,
    SUSPEND;

    enum InputContext {
        LIST,
        RUN,
        QUESTION,
        LINE,
        HELP
    }

    static KeyAction of(InputContext place, KeyPress press) {
        var key = press.name();
        return switch (key) {
            case "^z" -> SUSPEND;
            case "^l" -> REPAINT;
            default ->
                switch (place) {
                    case LIST -> list(key);
                    case RUN -> run(key);
                    case QUESTION -> question(key);
                    case LINE -> line(key);
                    case HELP -> key.equals("^c") ? QUIT : BACK;
                };
        };
    }

    private static KeyAction list(String key) {
        return switch (key) {
            case "ENTER", "RIGHT", "l" -> OPEN;
            case "ESCAPE" -> BACK;
            case "/" -> FILTER;
            case "a" -> ALL;
            case "o" -> OWNER;
            default -> common(key);
        };
    }

    private static KeyAction run(String key) {
        return switch (key) {
            case "ESCAPE", "LEFT", "q", "h" -> BACK;
            case "F" -> LAST;
            case " " -> PAGE_DOWN;
            case "b" -> PAGE_UP;
            default -> common(key);
        };
    }

    private static KeyAction common(String key) {
        return switch (key) {
            case "UP", "k", "^p" -> UP;
            case "DOWN", "j", "^n" -> DOWN;
            case "PAGE_UP", "^b", "^u" -> PAGE_UP;
            case "PAGE_DOWN", "^f", "^d" -> PAGE_DOWN;
            case "HOME", "g" -> FIRST;
            case "END", "G" -> LAST;
            case "s" -> STOP;
            case "m" -> MESSAGE;
            case "?" -> HELP;
            case "q", "^c" -> QUIT;
            default -> NOTHING;
        };
    }

    /** Only a typed y is yes; pasted text is ignored. */
    private static KeyAction question(String key) {
        return switch (key) {
            case "y", "Y" -> YES;
            case "n", "N" -> NO;
            case "ESCAPE", "^c", "q" -> BACK;
            default -> NOTHING;
        };
    }

    private static KeyAction line(String key) {
        return switch (key) {
            case "ESCAPE", "^c" -> BACK;
            case "ENTER" -> ACCEPT;
            default -> EDIT;
        };
    }
}
