package dev.roost.cli.bridge;

import java.util.Map;
import java.util.Optional;

/** Writes JSON strings, and finds a field of an object without parsing the rest. */
final class MinimalJson {

    private MinimalJson() {}

    /** A JSON string. */
    static String quoted(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') json.append('\\').append(c);
            else if (c < ' ')
                json.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            else if (Character.isSurrogate(c) && !paired(text, i)) json.append("\\ufffd");
            else json.append(c);
        }
        return json.append('"').toString();
    }

    private static boolean paired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }

    static String object(Map<String, String> texts) {
        var json = new StringBuilder("{");
        texts.forEach((name, value) -> {
            if (json.length() > 1) json.append(',');
            json.append(quoted(name)).append(':').append(quoted(value));
        });
        return json.append('}').toString();
    }

    /** The source text of a field's value. */
    static Optional<String> field(String json, String name) {
        String wanted = quoted(name);
        int at = skipSpace(json, 0);
        if (at >= json.length() || json.charAt(at) != '{') return Optional.empty();
        at = skipSpace(json, at + 1);
        while (at < json.length() && json.charAt(at) == '"') {
            int end = value(json, at);
            var key = json.substring(at, end);
            at = skipSpace(json, end);
            if (at >= json.length() || json.charAt(at) != ':') return Optional.empty();
            at = skipSpace(json, at + 1);
            end = value(json, at);
            if (key.equals(wanted)) return Optional.of(json.substring(at, end));
            at = skipSpace(json, end);
            if (at >= json.length() || json.charAt(at) != ',') return Optional.empty();
            at = skipSpace(json, at + 1);
        }
        return Optional.empty();
    }

    private static int skipSpace(String json, int from) {
        int at = from;
        while (at < json.length() && json.charAt(at) <= ' ') at++;
        return at;
    }

    /** The end of the value that begins at {@code from}. */
    private static int value(String json, int from) {
        int depth = 0;
        boolean text = false;
        for (int at = from; at < json.length(); at++) {
            char c = json.charAt(at);
            if (text) {
                if (c == '\\') at++;
                else if (c == '"') {
                    text = false;
                    if (depth == 0) return at + 1;
                }
                continue;
            }
            switch (c) {
                case '"' -> text = true;
                case '{', '[' -> depth++;
                case '}', ']' -> {
                    if (depth == 0) return at;
                    if (--depth == 0) return at + 1;
                }
                case ',', ' ', '\t', '\r', '\n' -> {
                    if (depth == 0) return at;
                }
                default -> {}
            }
        }
        return json.length();
    }
}
