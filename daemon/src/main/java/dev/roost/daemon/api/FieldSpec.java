package dev.roost.daemon.api;

import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** A field of a call, and what it is made of. */
public record FieldSpec(String name, Kind kind) {

    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

    /** How a value looks in JSON. */
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

    /** Puts what an address says, where all is text; what does not look like its kind stays text, and is refused as that. */
    public void put(ObjectNode fields, String said) {
        boolean whole = WHOLE.matcher(said).matches();
        switch (kind) {
            case NUMBER, TIMEOUT -> {
                if (whole) fields.put(name, Long.parseLong(said));
                else fields.put(name, said);
            }
            case FLAG -> {
                if (said.equals("true") || said.equals("false")) fields.put(name, said.equals("true"));
                else fields.put(name, said);
            }
            case TEXT, AMOUNT, TEXTS, TEXTS_BY_NAME -> fields.put(name, said);
        }
    }
}
