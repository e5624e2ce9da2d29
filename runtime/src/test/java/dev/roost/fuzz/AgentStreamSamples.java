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

/** Recorded streams of real agents, as samples. */
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

    /** The recorded streams of {@code driver}; for {@code acp} those of every agent that uses ACP. */
    public static List<byte[]> of(String driver) throws IOException {
        var samples = new ArrayList<byte[]>();
        try (var directories = Files.newDirectoryStream(RECORDED, driver.equals("acp") ? "*-acp" : driver)) {
            for (var directory : directories) {
                try (var files = Files.list(directory)) {
                    for (var file : files.filter(one -> one.toString().endsWith(".jsonl"))
                            .sorted()
                            .toList())
                        samples.add(
                                driver.equals("acp") ? agentSide(Files.readAllLines(file)) : Files.readAllBytes(file));
                }
            }
        }
        samples.removeIf(sample -> sample.length == 0);
        samples.sort(java.util.Arrays::compare); // directory listings are unordered
        return samples;
    }

    /** The agent's side of a recorded conversation, with the ids of this protocol's requests in its responses. */
    private static byte[] agentSide(List<String> recorded) {
        var protocol = dialog("acp");
        var lines = new ArrayList<String>();
        var open = new ArrayDeque<JsonNode>(List.of(JSON.readTree("{\"id\":1,\"method\":\"initialize\"}")));
        for (var line : recorded) {
            var message = JSON.readTree(line);
            if (!message.path("dir").asString("").equals("out")) continue;
            var reply = (ObjectNode) message.path("msg");
            if (!reply.has("method")) {
                while (!open.isEmpty()
                        && open.peek().path("method").asString("").startsWith("session/set_"))
                    parse(
                            protocol,
                            "{\"id\":%s,\"result\":{}}".formatted(open.pop().path("id")),
                            lines,
                            open);
                if (!open.isEmpty()) reply.set("id", open.pop().path("id"));
            }
            parse(protocol, reply.toString(), lines, open);
        }
        return FuzzRunner.bytes(String.join("\n", lines) + "\n");
    }

    private static void parse(AgentProtocol protocol, String line, List<String> lines, Deque<JsonNode> open) {
        lines.add(line);
        for (var output : protocol.parseLine(line)) {
            if (!(output instanceof AgentOutput.StdinLine(var _, var sent))) continue;
            var request = JSON.readTree(sent);
            if (request.has("method")) open.add(request);
        }
    }
}
