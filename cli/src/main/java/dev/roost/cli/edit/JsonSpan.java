package dev.roost.cli.edit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The position of a value in a valid JSON text. */
sealed interface JsonSpan {

    int start();

    int end();

    record Scalar(int start, int end) implements JsonSpan {}

    /** An object or an array; an array's items have no names. */
    record Container(int start, int end, List<Item> items) implements JsonSpan {
        Optional<Item> named(String name) {
            return items.stream().filter(item -> item.name().equals(name)).findFirst();
        }
    }

    /** {@code start}: of the name, if any, else of the value. */
    record Item(String name, int start, JsonSpan value) {
        int end() {
            return value.end();
        }
    }

    static JsonSpan of(String text) {
        return new Scanner(text).value();
    }

    /** Checks no syntax: the parser has done so. */
    final class Scanner {
        private final String text;
        private int at;

        private Scanner(String text) {
            this.text = text;
        }

        private JsonSpan value() {
            skip();
            int start = at;
            char first = text.charAt(at);
            if (first == '{' || first == '[') return container(start);
            if (first == '"') string();
            else while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
            return new Scalar(start, at);
        }

        private JsonSpan container(int start) {
            boolean object = text.charAt(at++) == '{';
            var items = new ArrayList<Item>();
            for (skip(); "]}".indexOf(text.charAt(at)) < 0; skip()) {
                if (text.charAt(at) == ',') {
                    at++;
                    skip();
                }
                int from = at;
                String name = "";
                if (object) {
                    string();
                    name = JsonDocumentEdit.name(text.substring(from, at));
                    skip();
                    at++; // the colon
                }
                items.add(new Item(name, from, value()));
            }
            return new Container(start, ++at, List.copyOf(items));
        }

        private void string() {
            for (at++; text.charAt(at) != '"'; at++) if (text.charAt(at) == '\\') at++;
            at++;
        }

        private void skip() {
            while (at < text.length() && " \t\r\n\uFEFF".indexOf(text.charAt(at)) >= 0) at++;
        }
    }
}
