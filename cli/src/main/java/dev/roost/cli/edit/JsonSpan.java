package dev.roost.cli.edit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamLocation;

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
        try (var parser = JsonDocumentEdit.MAPPER.createParser(text.replace('\uFEFF', ' '))) {
            parser.nextToken();
            return value(parser);
        }
    }

    private static JsonSpan value(JsonParser parser) {
        int start = offset(parser.currentTokenLocation());
        if (!parser.currentToken().isStructStart()) {
            parser.finishToken();
            return new Scalar(start, offset(parser.currentLocation()));
        }
        var items = new ArrayList<Item>();
        boolean object = parser.isExpectedStartObjectToken();
        while (!parser.nextToken().isStructEnd()) {
            int from = offset(parser.currentTokenLocation());
            String name = object ? parser.currentName() : "";
            if (object) parser.nextToken();
            items.add(new Item(name, from, value(parser)));
        }
        return new Container(start, offset(parser.currentLocation()), List.copyOf(items));
    }

    private static int offset(TokenStreamLocation location) {
        return (int) location.getCharOffset();
    }
}
