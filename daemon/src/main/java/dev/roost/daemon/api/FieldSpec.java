package dev.roost.daemon.api;

import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** A field of a call, and its type. */
public record FieldSpec(String name, Kind kind) {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

    /** The type of a value in JSON. */
    public enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        /** A number of milliseconds, or a text with its unit. */
        TIMEOUT,
        AMOUNT,
        TEXTS,
        TEXTS_BY_NAME;

        public FieldSpec named(String name) {
            return new FieldSpec(name, this);
        }
    }

    public static String[] names(List<FieldSpec> fields) {
        return fields.stream().map(FieldSpec::name).toArray(String[]::new);
    }

    /** The fields that a surface offers: all but those that it omits. */
    public static List<FieldSpec> without(List<FieldSpec> fields, String... omitted) {
        return fields.stream()
                .filter(field -> !List.of(omitted).contains(field.name))
                .toList();
    }

    /** Converts a value from a query, where all values are text. A value of the wrong form stays text, and is refused later. */
    public void put(ObjectNode fields, String text) {
        boolean isNumber = kind == Kind.NUMBER || kind == Kind.TIMEOUT;
        boolean isFlag = kind == Kind.FLAG && (text.equals("true") || text.equals("false"));
        if (isNumber && WHOLE.matcher(text).matches()) fields.put(name, Long.parseLong(text));
        else if (isFlag) fields.put(name, text.equals("true"));
        else fields.put(name, text);
    }
}
