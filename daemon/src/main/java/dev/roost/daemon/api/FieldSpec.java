package dev.roost.daemon.api;

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
        TEXTS_BY_NAME
    }

    public static FieldSpec text(String name) {
        return new FieldSpec(name, Kind.TEXT);
    }

    public static FieldSpec number(String name) {
        return new FieldSpec(name, Kind.NUMBER);
    }

    public static FieldSpec flag(String name) {
        return new FieldSpec(name, Kind.FLAG);
    }

    public static FieldSpec timeout(String name) {
        return new FieldSpec(name, Kind.TIMEOUT);
    }

    public static FieldSpec amount(String name) {
        return new FieldSpec(name, Kind.AMOUNT);
    }

    public static FieldSpec texts(String name) {
        return new FieldSpec(name, Kind.TEXTS);
    }

    public static FieldSpec textsByName(String name) {
        return new FieldSpec(name, Kind.TEXTS_BY_NAME);
    }

    /** Converts a value from a query, where all values are text. A value of the wrong form stays text, and is refused later. */
    public void put(ObjectNode fields, String text) {
        boolean whole = WHOLE.matcher(text).matches();
        switch (kind) {
            case NUMBER, TIMEOUT -> {
                if (whole) fields.put(name, Long.parseLong(text));
                else fields.put(name, text);
            }
            case FLAG -> {
                if (text.equals("true") || text.equals("false")) fields.put(name, text.equals("true"));
                else fields.put(name, text);
            }
            case TEXT, AMOUNT, TEXTS, TEXTS_BY_NAME -> fields.put(name, text);
        }
    }
}
