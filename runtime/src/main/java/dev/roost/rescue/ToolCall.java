package dev.roost.rescue;

import dev.roost.base.TextFormat;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Describes a tool call in a few words. */
final class ToolCall {

    private static final List<String> DESCRIPTIVE_FIELDS =
            List.of("command", "cmd", "file_path", "path", "description", "prompt");

    private ToolCall() {}

    static String inWords(String name, JsonNode arguments) {
        for (var field : DESCRIPTIVE_FIELDS) {
            var value = arguments.path(field).asString("");
            if (!value.isBlank()) return TextFormat.printable("%s: %s".formatted(name, value.strip()));
        }
        return TextFormat.printable(name);
    }
}
