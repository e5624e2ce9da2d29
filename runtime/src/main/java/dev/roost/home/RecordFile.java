package dev.roost.home;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads records of a perch or a daemon, and their fields. A field of an unexpected form makes the whole record damaged. */
final class RecordFile {

    private static final int LONGEST = 1 << 16;

    private RecordFile() {}

    /** The content of a record; none if the file is empty, hence not written yet, or too long to be a record. */
    static Optional<String> small(Path file) throws IOException {
        long size = PrivateFiles.size(file);
        return size == 0 || size > LONGEST ? Optional.empty() : PrivateFiles.read(file);
    }

    /** A record that differs from the form in which Roost writes it. */
    static final class DamagedRecordException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DamagedRecordException(String name) {
            super(name + " is damaged");
        }
    }

    static long number(JsonNode json, String name, long least, long most) {
        var value = json.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) throw new DamagedRecordException(name);
        long number = value.asLong();
        if (number < least || number > most) throw new DamagedRecordException(name);
        return number;
    }

    static boolean flag(JsonNode json, String name) {
        var value = json.path(name);
        if (!value.isBoolean()) throw new DamagedRecordException(name);
        return value.asBoolean();
    }

    static String text(JsonNode json, String name) {
        var value = json.path(name);
        if (!value.isString() || value.asString().isBlank()) throw new DamagedRecordException(name);
        return value.asString();
    }
}
