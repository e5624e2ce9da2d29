package dev.roost.daemon.web;

import com.google.errorprone.annotations.CompileTimeConstant;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/**
 * A piece of HTML. Markup comes from templates, which are compile-time constants. Values that are not {@code Html} are escaped.
 * A template has placeholders only in text and in quoted attributes.
 */
final class Html {

    static final Html NONE = new Html("");

    private static final String PLACEHOLDER = "{}";

    private final String markup;

    private Html(String markup) {
        this.markup = markup;
    }

    /** Replaces each {@code {}} by one of the parts. */
    static Html of(@CompileTimeConstant final String template, Object... parts) {
        var filled = new StringBuilder(template.length() + 64);
        int from = 0;
        for (var part : parts) {
            int placeholder = template.indexOf(PLACEHOLDER, from);
            if (placeholder < 0) throw new IllegalArgumentException("more parts than placeholders: " + template);
            filled.append(template, from, placeholder);
            add(filled, part);
            from = placeholder + PLACEHOLDER.length();
        }
        if (template.indexOf(PLACEHOLDER, from) >= 0)
            throw new IllegalArgumentException("more placeholders than parts: " + template);
        return new Html(filled.append(template, from, template.length()).toString());
    }

    static Html text(String text) {
        var escaped = new StringBuilder(text.length() + 16);
        escape(escaped, text);
        return new Html(escaped.toString());
    }

    static Html all(Collection<Html> pieces) {
        var whole = new StringBuilder();
        for (var piece : pieces) whole.append(piece.markup);
        return new Html(whole.toString());
    }

    private static void add(StringBuilder to, Object part) {
        if (part instanceof Html piece) to.append(piece.markup);
        else escape(to, part.toString());
    }

    /** Escapes markup; replaces invisible characters and those that reverse the text direction. */
    private static void escape(StringBuilder to, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> to.append("&amp;");
                case '<' -> to.append("&lt;");
                case '>' -> to.append("&gt;");
                case '"' -> to.append("&quot;");
                case '\'' -> to.append("&#39;");
                default -> to.append(isHidden(c) ? '\ufffd' : c);
            }
        }
    }

    private static boolean isHidden(char c) {
        if (c == '\n' || c == '\t') return false;
        return Character.isISOControl(c)
                || (c >= '\u200b' && c <= '\u200f' && c != '\u200d')
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069')
                || c == '\ufeff';
    }

    boolean isEmpty() {
        return markup.isEmpty();
    }

    byte[] bytes() {
        return markup.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return markup;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Html html && html.markup.equals(markup);
    }

    @Override
    public int hashCode() {
        return markup.hashCode();
    }
}
