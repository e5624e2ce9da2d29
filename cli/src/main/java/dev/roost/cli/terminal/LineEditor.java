package dev.roost.cli.terminal;

/** One line that is being typed. Line ends that were pasted stay in it, and are shown as a sign. */
public record LineEditor(String text, int cursor) {

    private static final int MOST = 100_000;

    public static LineEditor empty() {
        return new LineEditor("", 0);
    }

    public static LineEditor of(String text) {
        return new LineEditor(text, text.length());
    }

    public LineEditor on(KeyPress key) {
        return switch (key.kind()) {
            case TEXT, PASTE -> insert(clean(key.text()));
            case BACKSPACE -> cursor == 0 ? this : cut(before(), cursor);
            case DELETE -> cursor == text.length() ? this : cut(cursor, after());
            case LEFT -> at(before());
            case RIGHT -> at(after());
            case HOME -> at(0);
            case END -> at(text.length());
            case CTRL -> ctrl(key.text());
            default -> this;
        };
    }

    private LineEditor ctrl(String letter) {
        return switch (letter) {
            case "a" -> at(0);
            case "e" -> at(text.length());
            case "b" -> at(before());
            case "f" -> at(after());
            case "d" -> on(KeyPress.of(KeyPress.Kind.DELETE));
            case "u" -> cut(0, cursor);
            case "k" -> cut(cursor, text.length());
            case "w" -> cut(wordBefore(), cursor);
            default -> this;
        };
    }

    /** Nothing that is pasted may be a control character, but for the line's end. */
    private static String clean(String given) {
        var text = given.replace("\r\n", "\n").replace('\r', '\n').replace("\t", "    ");
        var kept = new StringBuilder();
        text.codePoints().filter(c -> c == '\n' || !Character.isISOControl(c)).forEach(kept::appendCodePoint);
        return kept.toString();
    }

    private LineEditor insert(String more) {
        if (text.length() + more.length() > MOST) return this;
        return new LineEditor(text.substring(0, cursor) + more + text.substring(cursor), cursor + more.length());
    }

    private LineEditor cut(int from, int to) {
        return new LineEditor(text.substring(0, from) + text.substring(to), from);
    }

    private LineEditor at(int place) {
        return new LineEditor(text, place);
    }

    /** A mark that combines goes with the letter that it stands on. */
    private int before() {
        int at = cursor;
        while (at > 0) {
            int c = text.codePointBefore(at);
            at -= Character.charCount(c);
            if (DisplayWidth.of(c) > 0) break;
        }
        return at;
    }

    private int after() {
        int at = cursor;
        while (at < text.length()) {
            at += Character.charCount(text.codePointAt(at));
            if (at == text.length() || DisplayWidth.of(text.codePointAt(at)) > 0) break;
        }
        return at;
    }

    private int wordBefore() {
        int at = cursor;
        while (at > 0 && text.charAt(at - 1) <= ' ') at--;
        while (at > 0 && text.charAt(at - 1) > ' ') at--;
        return at;
    }

    /** As much of it as has room, with the cursor in reverse. */
    public String shown(int columns) {
        int from = 0;
        while (from < cursor && DisplayWidth.of(signs(text.substring(from, cursor))) > columns - 2)
            from += Character.charCount(text.codePointAt(from));
        var under = cursor < text.length() ? signs(text.substring(cursor, after())) : " ";
        var behind = cursor < text.length() ? signs(text.substring(after())) : "";
        return SafeText.fit(signs(text.substring(from, cursor)) + "\033[7m" + under + "\033[0m" + behind, columns);
    }

    private static String signs(String text) {
        return SafeText.safe(text.replace('\n', '⏎'), false);
    }
}
