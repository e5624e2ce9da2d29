package dev.roost.agents;

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
import tools.jackson.databind.node.ObjectNode;

/** Reads and formats streams with one JSON object per line. */
public final class JsonLines {

    private static final JsonMapper JSON = new JsonMapper();
    private static final int LONGEST_LINE = 160;
    private static final int LONGEST_REASON = 600;

    private JsonLines() {}

    /** Parses a JSON object; empty for any other line. */
    public static Optional<JsonNode> object(String line) {
        if (!line.startsWith("{")) return Optional.empty();
        try {
            return Optional.of(JSON.readTree(line)).filter(JsonNode::isObject);
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    /** Hands over each object of a file of such lines. Skips an incomplete line, which a killed writer may have left. */
    public static void read(Path file, Consumer<JsonNode> reader) throws IOException {
        try (var lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine())
                object(line.strip()).ifPresent(reader);
        }
    }

    /** The object that is the whole content of a file; empty if the file cannot be read or holds no object. */
    public static Optional<JsonNode> object(Path file) {
        try {
            return object(Files.readString(file).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The time in a field. */
    public static Optional<Instant> time(JsonNode object, String field) {
        try {
            return object.path(field).asStringOpt().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    public static String quoted(String text) {
        return JSON.writeValueAsString(text);
    }

    /** Describes a tool call in one readable line. */
    public static String call(String tool, JsonNode input) {
        for (var field : new String[] {
            "command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url", "description", "prompt"
        }) {
            var value = input.path(field);
            if (value.isString() && !value.asString().isBlank()) return oneLine(tool + ": " + value.asString());
            if (value.isArray() && !value.isEmpty()) {
                var words = value.valueStream().map(word -> word.asString("")).toList();
                return oneLine(tool + ": " + String.join(" ", words));
            }
        }
        return tool;
    }

    /** Truncates a text to one line. */
    public static String oneLine(String text) {
        return oneLine(text, LONGEST_LINE);
    }

    private static String oneLine(String text, int longest) {
        var line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= longest ? line : line.substring(0, longest - 1) + "…";
    }

    /** Shortens an error message to one line, and replaces an API's JSON in it by the JSON's own message. */
    public static String why(String words) {
        int begin = words.indexOf('{');
        int end = words.lastIndexOf('}') + 1;
        if (begin < 0 || end < begin) return oneLine(words, LONGEST_REASON);
        var message = object(words.substring(begin, end))
                .flatMap(json -> json.at("/error/message")
                        .asStringOpt()
                        .or(() -> json.path("message").asStringOpt()))
                .filter(text -> !text.isBlank());
        return oneLine(
                message.map(text -> words.substring(0, begin) + text + words.substring(end))
                        .orElse(words),
                LONGEST_REASON);
    }

    /** Empty for a number outside the range of times. */
    public static Optional<Instant> second(long sinceEpoch) {
        try {
            return Optional.of(Instant.ofEpochSecond(sinceEpoch));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    public static long micros(JsonNode dollars) {
        return Math.round(dollars.asDouble(0) * 1e6);
    }
}
