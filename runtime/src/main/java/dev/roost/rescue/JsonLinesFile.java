package dev.roost.rescue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A file with one JSON object per line. Skips an incomplete line, which a killed writer may have left. */
final class JsonLinesFile {

    static final JsonMapper JSON = new JsonMapper();

    private JsonLinesFile() {}

    static void read(Path file, Consumer<JsonNode> reader) throws IOException {
        try (var lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine())
                parse(line).ifPresent(reader);
        }
    }

    /** Empty if the text is not a JSON object. */
    static Optional<JsonNode> parse(String text) {
        try {
            return Optional.of(JSON.readTree(text)).filter(JsonNode::isObject);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    static Optional<JsonNode> whole(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The time in a field of a line. */
    static Optional<Instant> time(JsonNode line, String field) {
        try {
            return line.path(field).asStringOpt().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
