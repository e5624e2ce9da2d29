package dev.roost.supervisor;

import tools.jackson.databind.JsonNode;

/** Fields of what a perch or a daemon recorded: each exactly as such a one writes it, or the whole of it is damaged. */
final class Records {

    private Records() {}

    /** Something else than what was written. */
    static final class Damaged extends RuntimeException {
        private static final long serialVersionUID = 1;

        Damaged(String name) {
            super(name + " is not what it was when it was written");
        }
    }

    static long number(JsonNode json, String name, long least, long most) {
        var value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) throw new Damaged(name);
        long number = value.asLong();
        if (number < least || number > most) throw new Damaged(name);
        return number;
    }

    static boolean flag(JsonNode json, String name) {
        var value = json.path(name);
        if (!value.isBoolean()) throw new Damaged(name);
        return value.asBoolean();
    }

    static String text(JsonNode json, String name) {
        var value = json.path(name);
        if (!value.isString() || value.asString().isBlank()) throw new Damaged(name);
        return value.asString();
    }
}
