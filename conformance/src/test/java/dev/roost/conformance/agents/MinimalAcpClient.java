package dev.roost.conformance.agents;

import static dev.roost.conformance.model.JsonObjects.object;

import dev.roost.conformance.model.JsonObjects;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A minimal client of the Agent Client Protocol: one request at a time; allows every permission. */
public final class MinimalAcpClient implements AutoCloseable {

    private final Process process;
    private final BufferedReader in;
    private final OutputStream out;
    private final StringBuilder said = new StringBuilder();
    private int requests;

    public MinimalAcpClient(AgentCliHome home, List<String> command) throws IOException {
        process = home.process(command)
                .redirectError(home.path().resolve("err").toFile())
                .start();
        in = process.inputReader(StandardCharsets.UTF_8);
        out = process.getOutputStream();
    }

    /** The agent's text so far. */
    public String said() {
        return said.toString();
    }

    public JsonNode call(String method, ObjectNode params) throws IOException {
        int id = ++requests;
        send(object("jsonrpc", "2.0", "id", id, "method", method, "params", params));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            var message = JsonObjects.MAPPER.readTree(line);
            if (message.has("method")) {
                handle(message);
            } else if (message.path("id").asInt() == id) {
                if (message.has("result")) return message.path("result");
                throw new IOException(method + ": " + message.path("error"));
            }
        }
        throw new IOException("The agent closed the connection during " + method);
    }

    private void handle(JsonNode message) throws IOException {
        var params = message.path("params");
        var update = params.path("update");
        if (update.path("sessionUpdate").asString("").equals("agent_message_chunk")) {
            said.append(update.path("content").path("text").asString());
        }
        if (message.path("method").asString().equals("session/request_permission")) {
            var allowed = JsonObjects.items(params.path("options")).stream()
                    .filter(option -> option.path("kind").asString().equals("allow_once"))
                    .findFirst()
                    .orElseThrow();
            var outcome = object("outcome", "selected", "optionId", allowed.path("optionId"));
            send(object("jsonrpc", "2.0", "id", message.path("id"), "result", object("outcome", outcome)));
        }
    }

    private void send(ObjectNode message) throws IOException {
        out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
