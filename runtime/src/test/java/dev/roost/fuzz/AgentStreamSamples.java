package dev.roost.fuzz;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.model.Budget;
import dev.roost.model.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What real agents printed, as samples. */
public final class AgentStreamSamples {

    private static final Path RECORDED = Path.of("src/test/resources/streams");
    private static final JsonMapper JSON = new JsonMapper();

    private AgentStreamSamples() {}

    public static AgentProtocol dialog(String driver) {
        var job = new AttemptJob(
                AgentProfile.plain(driver),
                new Task(List.of(), Optional.of("the prompt")),
                Path.of("/work"),
                Path.of("/prompt"),
                Budget.ofOutput(1),
                Optional.empty(),
                Usage.NONE,
                false);
        return Drivers.of(driver).dialog(job).orElseThrow();
    }

    /** {@code driver}'s own streams; of {@code acp} those of every agent that speaks it. */
    public static List<byte[]> of(String driver) throws IOException {
        var samples = new ArrayList<byte[]>();
        try (var directories = Files.newDirectoryStream(RECORDED, driver.equals("acp") ? "*-acp" : driver)) {
            for (var directory : directories) {
                try (var files = Files.list(directory)) {
                    for (var file : files.filter(one -> one.toString().endsWith(".jsonl"))
                            .sorted()
                            .toList())
                        samples.add(driver.equals("acp") ? spoken(Files.readAllLines(file)) : Files.readAllBytes(file));
                }
            }
        }
        samples.removeIf(sample -> sample.length == 0);
        samples.sort(java.util.Arrays::compare); // a directory has no order
        return samples;
    }

    /** The agent's side of a recorded conversation, its answers with the ids under which we ask. */
    private static byte[] spoken(List<String> recorded) {
        var protocol = dialog("acp");
        var lines = new ArrayList<String>();
        var open = new ArrayDeque<JsonNode>(List.of(JSON.readTree("{\"id\":1,\"method\":\"initialize\"}")));
        for (var line : recorded) {
            var message = JSON.readTree(line);
            if (!message.path("dir").asString("").equals("out")) continue;
            var said = (ObjectNode) message.path("msg");
            if (!said.has("method")) {
                while (!open.isEmpty()
                        && open.peek().path("method").asString("").startsWith("session/set_"))
                    hear(
                            protocol,
                            "{\"id\":%s,\"result\":{}}".formatted(open.pop().path("id")),
                            lines,
                            open);
                if (!open.isEmpty()) said.set("id", open.pop().path("id"));
            }
            hear(protocol, said.toString(), lines, open);
        }
        return FuzzRunner.bytes(String.join("\n", lines) + "\n");
    }

    private static void hear(AgentProtocol protocol, String line, List<String> lines, Deque<JsonNode> open) {
        lines.add(line);
        for (var output : protocol.parseLine(line)) {
            if (!(output instanceof AgentOutput.StdinLine(var _, var sent))) continue;
            var request = JSON.readTree(sent);
            if (request.has("method")) open.add(request);
        }
    }
}
