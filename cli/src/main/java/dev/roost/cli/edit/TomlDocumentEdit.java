package dev.roost.cli.edit;

import java.util.ArrayList;
import java.util.List;

/** Finds the tables and keys of a TOML text and their lines; skips over values. */
public final class TomlDocumentEdit {

    /** Line numbers from 0: of the heading (root: 0), and after the last line with content. */
    public record Part(List<String> table, int heading, int end, List<List<String>> keys) {}

    private final String text;
    private int at;
    private int line;

    private TomlDocumentEdit(String text) {
        this.text = text;
    }

    public static List<Part> of(String text) {
        return new TomlDocumentEdit(text.startsWith("\uFEFF") ? text.substring(1) : text).parts();
    }

    private List<Part> parts() {
        var parts = new ArrayList<Part>();
        List<String> table = List.of();
        int heading = 0;
        int end = 0;
        var keys = new ArrayList<List<String>>();
        for (blank(); at < text.length(); blank()) {
            if (text.charAt(at) == '[') {
                parts.add(new Part(table, heading, end, List.copyOf(keys)));
                keys.clear();
                heading = line;
                table = heading();
            } else {
                var key = new ArrayList<>(table);
                key.addAll(key());
                expect('=');
                space();
                value();
                keys.add(key);
            }
            restOfLine();
            end = line + 1;
        }
        parts.add(new Part(table, heading, end, List.copyOf(keys)));
        return parts;
    }

    private List<String> heading() {
        boolean isArray = text.startsWith("[[", at);
        at += isArray ? 2 : 1;
        var name = key();
        expect(']');
        if (isArray) expect(']');
        return name;
    }

    private List<String> key() {
        var names = new ArrayList<String>();
        do {
            if (!names.isEmpty()) at++; // the dot
            space();
            int from = at;
            if (peek() == '"' || peek() == '\'') {
                string();
                names.add(text.substring(from + 1, at - 1));
            } else {
                while (Character.isLetterOrDigit(peek()) || peek() == '_' || peek() == '-') at++;
                if (at == from) throw invalid();
                names.add(text.substring(from, at));
            }
            space();
        } while (peek() == '.');
        return names;
    }

    private void value() {
        int from = at;
        switch (peek()) {
            case '"', '\'' -> string();
            case '[' -> list(']');
            case '{' -> list('}');
            default -> {
                while (Character.isLetterOrDigit(peek()) || "+-_.:".indexOf(peek()) >= 0) at++;
                boolean date = at - from == 10 && peek() == ' ' && Character.isDigit(text.charAt(from));
                if (date && at + 1 < text.length() && Character.isDigit(text.charAt(at + 1))) {
                    at++;
                    value();
                }
                if (at == from) throw invalid();
            }
        }
    }

    private void list(char end) {
        at++;
        for (blank(); peek() != end; blank()) {
            if (end == '}') {
                key();
                expect('=');
                space();
            }
            value();
            blank();
            if (peek() == ',') at++;
            else if (peek() != end) throw invalid();
        }
        at++;
    }

    private void string() {
        char quote = text.charAt(at);
        String three = String.valueOf(quote).repeat(3);
        boolean longOne = text.startsWith(three, at);
        for (at += longOne ? 3 : 1; !text.startsWith(longOne ? three : three.substring(2), at); at++) {
            if (peek() == '\0' || (peek() == '\n' && !longOne)) throw invalid();
            if (peek() == '\\' && quote == '"') at++;
            if (peek() == '\n') line++;
        }
        at += longOne ? 3 : 1;
        while (longOne && peek() == quote) at++; // the text may end with up to two quotes
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void expect(char wanted) {
        space();
        if (peek() != wanted) throw invalid();
        at++;
    }

    private void space() {
        while (peek() == ' ' || peek() == '\t') at++;
    }

    private void blank() {
        for (space(); peek() == '\n' || peek() == '\r' || peek() == '#'; space()) {
            if (peek() == '#') while (at < text.length() && peek() != '\n') at++;
            if (peek() == '\n') line++;
            if (at < text.length()) at++;
        }
    }

    private void restOfLine() {
        space();
        if (peek() == '#') while (at < text.length() && peek() != '\n') at++;
        if (peek() == '\r') at++;
        if (at < text.length() && peek() != '\n') throw invalid();
    }

    private NotEditable invalid() {
        return NotEditable.because("is not valid TOML (line %d)".formatted(line + 1));
    }
}
