package dev.roost.rescue;

import dev.roost.base.TextFormat;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What an agent was about to do, in a few words. */
final class ToolCall {

    private static final List<String> TELLING = List.of("command", "cmd", "file_path", "path", "description", "prompt");

    private ToolCall() {}

    static String inWords(String name, JsonNode arguments) {
        for (var field : TELLING) {
            var value = arguments.path(field).asString("");
            if (!value.isBlank()) return TextFormat.printable("%s: %s".formatted(name, value.strip()));
        }
        return TextFormat.printable(name);
    }
}
