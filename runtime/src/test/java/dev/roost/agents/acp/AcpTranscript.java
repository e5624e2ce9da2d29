package dev.roost.agents.acp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.Permissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Replays a recorded conversation with a real agent: the protocol must send the same messages. */
record AcpTranscript(String agent, String name, List<JsonNode> lines) {

    private static final Path STREAMS = Path.of("src/test/resources/streams");

    static AcpTranscript of(String agent, String name) throws IOException {
        var lines = read(agent, name);
        var whole = new ArrayList<JsonNode>();
        if (!method(lines.getFirst()).equals("initialize")) {
            for (var line : read(agent, "success")) {
                if (method(line).equals("session/prompt")) break;
                whole.add(line);
            }
        }
        whole.addAll(lines);
        return new AcpTranscript(agent, name, whole);
    }

    private static List<JsonNode> read(String agent, String name) throws IOException {
        return Files.readAllLines(STREAMS.resolve(agent, name + ".jsonl")).stream()
                .map(line -> AcpReplay.JSON.readTree(line))
                .toList();
    }

    static Stream<AcpTranscript> all() throws IOException {
        var all = new ArrayList<AcpTranscript>();
        for (var agent : List.of("claude-acp", "codex-acp", "gemini-acp", "opencode-acp")) {
            try (var files = Files.list(STREAMS.resolve(agent))) {
                for (var file : files.sorted().toList())
                    all.add(of(agent, file.getFileName().toString().replace(".jsonl", "")));
            }
        }
        return all.stream();
    }

    @Override
    public String toString() {
        return agent + "/" + name;
    }

    private static String method(JsonNode line) {
        return line.path("msg").path("method").asString("");
    }

    AcpReplay play() {
        return play(Permissions.SAFE);
    }

    AcpReplay play(Permissions permissions) {
        var scene = new AcpReplay(AcpReplay.job(permissions, prompt(), session()));
        var ours = new HashMap<Integer, JsonNode>(); // ids of the replay, by recorded id
        var asked = new HashMap<JsonNode, JsonNode>();
        for (var line : lines) {
            var msg = line.path("msg");
            boolean request = msg.has("method");
            if (!scene.all(AgentOutput.StdinEnd.class).isEmpty()
                    && line.path("dir").asString().equals("in")) break;
            if (line.path("dir").asString().equals("out")) {
                if (request && msg.has("id")) asked.put(msg.path("id"), msg);
                scene.read((request ? msg : withId(msg, ours)).toString());
            } else if (request) {
                if (!method(line).equals("session/cancel")) assertRequest(scene, msg, ours);
            } else {
                assertAnswer(scene, msg, requireNonNull(asked.get(msg.path("id"))));
            }
        }
        assertThat(scene.sent).as("messages not sent before").isEmpty();
        return scene;
    }

    private String prompt() {
        return lines.stream()
                .filter(line -> method(line).equals("session/prompt"))
                .map(line -> line.path("msg")
                        .path("params")
                        .path("prompt")
                        .path(0)
                        .path("text")
                        .asString())
                .findFirst()
                .orElseThrow();
    }

    /** The session that the recorded client resumed. */
    private Optional<String> session() {
        return lines.stream()
                .filter(line ->
                        method(line).equals("session/load") || method(line).equals("session/resume"))
                .map(line -> line.path("msg").path("params").path("sessionId").asString())
                .findFirst();
    }

    /** Uses the id of the replayed request. If the recording loads a session, the replayed agent cannot resume one. */
    private JsonNode withId(JsonNode answer, Map<Integer, JsonNode> ours) {
        var copy = (ObjectNode) answer.deepCopy();
        copy.set("id", ours.get(answer.path("id").asInt()));
        if (lines.stream().anyMatch(line -> method(line).equals("session/load"))
                && copy.path("result").path("agentCapabilities").path("sessionCapabilities") instanceof ObjectNode can)
            can.remove("resume");
        return copy;
    }

    private void assertRequest(AcpReplay scene, JsonNode then, Map<Integer, JsonNode> ours) {
        while (scene.sent.getFirst().path("method").asString().startsWith("session/set_"))
            scene.read("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}"
                    .formatted(scene.sent.removeFirst().path("id")));
        var now = scene.sent.removeFirst();
        assertThat(now.path("method")).isEqualTo(then.path("method"));
        assertThat(params(now)).isEqualTo(params(then));
        ours.put(then.path("id").asInt(), now.path("id"));
    }

    /** Omits the session's id, which differs if the recording starts with lines of another conversation. */
    private static JsonNode params(JsonNode msg) {
        var params = (ObjectNode) msg.path("params").deepCopy();
        if (!msg.path("method").asString().matches("session/(load|resume)")) params.remove("sessionId");
        return params;
    }

    private static void assertAnswer(AcpReplay scene, JsonNode then, JsonNode question) {
        boolean allowed = kind(question, then).startsWith("allow");
        if (scene.sent.isEmpty()) {
            var id = question.path("id");
            scene.send(new AgentInput.PermissionReply("message:" + id.asString(), id.asString(), allowed, "Not now."));
        }
        var now = scene.sent.removeFirst();
        assertThat(now.path("id"))
                .as("the reply has the id of the request, with its type")
                .isEqualTo(then.path("id"));
        assertThat(kind(question, now)).isEqualTo(allowed ? "allow_once" : "reject_once");
    }

    /** The kind of the selected option; a cancelled question is not allowed. */
    private static String kind(JsonNode question, JsonNode answer) {
        return question.path("params")
                .path("options")
                .valueStream()
                .filter(option -> option.path("optionId")
                        .equals(answer.path("result").path("outcome").path("optionId")))
                .map(option -> option.path("kind").asString())
                .findFirst()
                .orElse("cancelled");
    }
}
