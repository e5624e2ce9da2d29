package dev.roost.cli.edit;

import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** The layout of a JSON text, for added pieces. */
record JsonStyle(String newline, String unit, String colon) {

    static final JsonStyle DEFAULT = new JsonStyle("\n", "  ", ": ");

    static JsonStyle of(String text, JsonSpan.Container root) {
        String newline = text.contains("\r\n") ? "\r\n" : "\n";
        if (root.items().isEmpty()) return new JsonStyle(newline, DEFAULT.unit, DEFAULT.colon);
        var first = root.items().getFirst();
        String unit = indent(text, first.start());
        String head = text.substring(first.start(), first.value().start());
        String colon = head.substring(head.lastIndexOf('"') + 1);
        return new JsonStyle(
                newline, unit.isEmpty() ? DEFAULT.unit : unit, colon.contains("\n") ? DEFAULT.colon : colon);
    }

    /** The leading white space of the line at {@code at}. */
    static String indent(String text, int at) {
        int line = text.lastIndexOf('\n', at - 1) + 1;
        int end = line;
        while (end < at && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) end++;
        return text.substring(line, end);
    }

    String inlineComma() {
        return colon.equals(":") ? "," : ", ";
    }

    /** Prints on several lines, all but the first indented by {@code indent}; a list of scalars stays on one line. */
    String print(JsonNode value, String indent) {
        if (value.isEmpty() || (value.isArray() && value.valueStream().noneMatch(JsonNode::isContainer)))
            return inline(value);
        var inner = newline + indent + unit;
        var lines = new StringJoiner("," + inner, inner, newline + indent);
        if (value.isArray()) {
            for (var one : value) lines.add(print(one, indent + unit));
            return "[" + lines + "]";
        }
        for (var one : value.properties())
            lines.add(JsonDocumentEdit.quoted(one.getKey()) + colon + print(one.getValue(), indent + unit));
        return "{" + lines + "}";
    }

    String inline(JsonNode value) {
        if (!value.isContainer()) return value.toString();
        var items = new StringJoiner(inlineComma());
        if (value.isArray()) for (var one : value) items.add(inline(one));
        else
            for (var one : value.properties())
                items.add(JsonDocumentEdit.quoted(one.getKey()) + colon + inline(one.getValue()));
        return value.isArray() ? "[" + items + "]" : "{" + items + "}";
    }
}
