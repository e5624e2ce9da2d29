package dev.roost.agents;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.roost.agents.driver.Drivers;
import dev.roost.agents.testing.AgentTranscript;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class AgentProtocolTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final List<JsonNode> ODD = List.of(
            JSON.nullNode(), JSON.readTree("-1"), JSON.readTree("\"odd\""), JSON.readTree("[[]]"), JSON.readTree("{}"));

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex", "opencode", "gemini"})
    void an_invalid_line_is_ignored(String cli) {
        for (var name : AgentTranscript.names(cli)) {
            for (var line : AgentTranscript.lines(cli, name + ".jsonl")) {
                for (var odd : corrupted(line))
                    assertThatCode(() -> parse(cli, odd)).as(odd).doesNotThrowAnyException();
            }
        }
        for (var line : List.of("", "{", "null", "[]", "{}", "{\"type\":7}", "\u001b[93m! odd"))
            assertThatCode(() -> parse(cli, line)).doesNotThrowAnyException();
    }

    private static void parse(String cli, String line) {
        Drivers.of(cli).dialog(AgentTranscript.job(cli)).orElseThrow().parseLine(line);
    }

    /** Copies of the line, each with one value removed or replaced by an unexpected one. */
    private static List<String> corrupted(String line) {
        var lines = new ArrayList<String>();
        var root = JSON.readTree(line);
        corrupt(root, root, lines);
        return lines;
    }

    private static void corrupt(JsonNode node, JsonNode root, List<String> lines) {
        if (node instanceof ArrayNode array) array.forEach(one -> corrupt(one, root, lines));
        if (!(node instanceof ObjectNode object)) return;
        for (var field : List.copyOf(object.propertyNames())) {
            if (field.equals("type")) continue;
            var value = object.get(field);
            corrupt(value, root, lines);
            for (var odd : ODD) {
                object.set(field, odd);
                lines.add(root.toString());
            }
            object.remove(field);
            lines.add(root.toString());
            object.set(field, value);
        }
    }
}
