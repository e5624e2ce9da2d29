package dev.roost.cli.terminal;

/** An editable line. Keeps pasted line ends and shows them as a symbol. */
public record LineEditor(String text, int cursor) {

    private static final int MAX_LENGTH = 100_000;

    public static LineEditor empty() {
        return new LineEditor("", 0);
    }

    public static LineEditor of(String text) {
        return new LineEditor(text, text.length());
    }

    public LineEditor on(KeyPress key) {
        return switch (key.name()) {
            case "BACKSPACE" -> cut(before(), cursor);
            case "DELETE", "^d" -> cut(cursor, after());
            case "LEFT", "^b" -> at(before());
            case "RIGHT", "^f" -> at(after());
            case "HOME", "^a" -> at(0);
            case "END", "^e" -> at(text.length());
            case "^u" -> cut(0, cursor);
            case "^k" -> cut(cursor, text.length());
            case "^w" -> cut(wordBefore(), cursor);
            default ->
                switch (key.kind()) {
                    case TEXT, PASTE -> insert(clean(key.text()));
                    default -> this;
                };
        };
    }

    /** Removes control characters from pasted text, except line ends. */
    private static String clean(String pasted) {
        var text = pasted.replace("\r\n", "\n").replace('\r', '\n').replace("\t", "    ");
        var kept = new StringBuilder();
        text.codePoints().filter(c -> c == '\n' || !Character.isISOControl(c)).forEach(kept::appendCodePoint);
        return kept.toString();
    }

    private LineEditor insert(String more) {
        if (text.length() + more.length() > MAX_LENGTH) return this;
        return new LineEditor(text.substring(0, cursor) + more + text.substring(cursor), cursor + more.length());
    }

    private LineEditor cut(int from, int to) {
        return new LineEditor(text.substring(0, from) + text.substring(to), from);
    }

    private LineEditor at(int place) {
        return new LineEditor(text, place);
    }

    /** The position before the previous letter with its combining marks. */
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

    /** The part that fits, with the cursor in reverse. */
    public String shown(int columns) {
        int from = 0;
        while (from < cursor && DisplayWidth.of(withSymbols(text.substring(from, cursor))) > columns - 2)
            from += Character.charCount(text.codePointAt(from));
        var under = cursor < text.length() ? withSymbols(text.substring(cursor, after())) : " ";
        var behind = cursor < text.length() ? withSymbols(text.substring(after())) : "";
        return SafeText.fit(
                withSymbols(text.substring(from, cursor)) + "\033[7m" + under + "\033[0m" + behind, columns);
    }

    private static String withSymbols(String text) {
        return SafeText.safe(text.replace('\n', '⏎'), false);
    }
}
