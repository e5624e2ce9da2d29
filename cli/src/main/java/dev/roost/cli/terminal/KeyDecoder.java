package dev.roost.cli.terminal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decodes keys from a terminal's bytes; keeps an incomplete sequence for the next call. */
public final class KeyDecoder {

    /** One key, in bytes as Latin-1: a sequence, a broken one, a letter after escape, two escapes, a control, UTF-8. */
    private static final Pattern KEY = Pattern.compile(
            "\033\\[(?<parameters>[ -?]{0,30})(?<last>[@-~])|\033O(?<letter>\\D)|\033O\\d"
                    + "|\033\\[(?:[ -?]{0,30}(?=[^ -~])|[ -?]{31})|\033[^\\[O\033]|(?<escape>\033)(?=\033)"
                    + "|(?<control>[\\x00-\\x1a\\x1c-\\x1f\\x7f])"
                    + "|(?<text>[ -~]|[\\x80-\\xdf].|[\\xe0-\\xef]..|[\\xf0-\\xff]...)",
            Pattern.DOTALL);

    private static final String ESCAPE = "\033";
    private static final String PASTE_END = "\033[201~";
    private static final int MAX_PASTE = 1 << 20;

    private final StringBuilder pasted = new StringBuilder();
    private String rest = "";
    private boolean pasting;

    /** The keys that are complete now. */
    public List<KeyPress> keys(byte[] bytes) {
        rest += new String(bytes, StandardCharsets.ISO_8859_1);
        var keys = new ArrayList<KeyPress>();
        var next = next();
        for (; next.isPresent(); next = next()) keys.add(next.get());
        return keys;
    }

    /** Whether the last bytes may be an incomplete sequence. */
    public boolean waits() {
        return !rest.isEmpty() && !pasting;
    }

    /** Ends an incomplete sequence after the timeout; a single escape byte is the Escape key. */
    public List<KeyPress> giveUp() {
        var left = rest;
        rest = "";
        if (left.isEmpty()) return List.of();
        return List.of(KeyPress.of(left.equals(ESCAPE) ? KeyPress.Kind.ESCAPE : KeyPress.Kind.UNKNOWN));
    }

    private Optional<KeyPress> next() {
        if (pasting) return paste();
        var key = KEY.matcher(rest);
        if (!key.lookingAt()) return Optional.empty();
        rest = rest.substring(key.end());
        if ("~".equals(key.group("last")) && key.group("parameters").equals("200")) {
            pasting = true;
            return paste();
        }
        return Optional.of(decoded(key));
    }

    private static KeyPress decoded(Matcher key) {
        if (key.group("text") != null) return KeyPress.typed(utf8(key.group()));
        if (key.group("control") != null) return control(key.group().charAt(0));
        if (key.group("escape") != null) return KeyPress.of(KeyPress.Kind.ESCAPE);
        if (key.group("letter") != null) return KeyPress.of(named(key.group("letter"), ""));
        if (key.group("last") != null) return KeyPress.of(named(key.group("last"), key.group("parameters")));
        return KeyPress.of(KeyPress.Kind.UNKNOWN);
    }

    private static String utf8(CharSequence bytes) {
        return new String(bytes.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static KeyPress control(char c) {
        return switch (c) {
            case '\r', '\n' -> KeyPress.of(KeyPress.Kind.ENTER);
            case '\t' -> KeyPress.of(KeyPress.Kind.TAB);
            case '\b', 0x7f -> KeyPress.of(KeyPress.Kind.BACKSPACE);
            default -> KeyPress.ctrl((char) (c | 0x60));
        };
    }

    private static KeyPress.Kind named(String last, String parameters) {
        return switch (last.equals("~") ? parameters.split(";", -1)[0] : last) {
            case "A" -> KeyPress.Kind.UP;
            case "B" -> KeyPress.Kind.DOWN;
            case "C" -> KeyPress.Kind.RIGHT;
            case "D" -> KeyPress.Kind.LEFT;
            case "H", "1", "7" -> KeyPress.Kind.HOME;
            case "F", "4", "8" -> KeyPress.Kind.END;
            case "M" -> KeyPress.Kind.ENTER; // of the keypad
            case "3" -> KeyPress.Kind.DELETE;
            case "5" -> KeyPress.Kind.PAGE_UP;
            case "6" -> KeyPress.Kind.PAGE_DOWN;
            default -> KeyPress.Kind.UNKNOWN;
        };
    }

    /** Reads pasted text up to its end mark, which may be incomplete too. */
    private Optional<KeyPress> paste() {
        int end = rest.indexOf(PASTE_END);
        int until = end >= 0 ? end : Math.max(0, rest.length() - PASTE_END.length() + 1);
        if (end < 0) while (!PASTE_END.startsWith(rest.substring(until))) until++;
        pasted.append(rest, 0, Math.min(until, MAX_PASTE - pasted.length()));
        rest = rest.substring(end >= 0 ? end + PASTE_END.length() : until);
        if (end < 0) return Optional.empty();
        pasting = false;
        var key = new KeyPress(KeyPress.Kind.PASTE, utf8(pasted));
        pasted.setLength(0);
        return Optional.of(key);
    }
}
