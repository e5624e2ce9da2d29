package dev.roost.home;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a perch or a daemon recorded, and its fields: each exactly as such a one writes it, or the whole of it is damaged. */
final class RecordFile {

    private static final int LONGEST = 1 << 16;

    private RecordFile() {}

    /** One that is empty is still to be written; what no perch and no daemon ever wrote so much of is damaged. */
    static Optional<String> small(Path file) throws IOException {
        long size = PrivateFiles.size(file);
        return size == 0 || size > LONGEST ? Optional.empty() : PrivateFiles.read(file);
    }

    /** Something else than what was written. */
    static final class DamagedRecordException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DamagedRecordException(String name) {
            super(name + " is not what it was when it was written");
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
