package dev.roost.conformance.agents;

import dev.roost.conformance.model.JsonObjects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** The output and exit status of a CLI that got its prompt on standard input. */
public record AgentCliRun(int exit, List<JsonNode> lines, String errors) {

    public static AgentCliRun of(AgentCliHome home, List<String> command, String prompt)
            throws IOException, InterruptedException {
        Path out = home.path().resolve("out");
        Path err = home.path().resolve("err");
        var process = home.process(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            process.getOutputStream().write(prompt.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            if (!process.waitFor(90, TimeUnit.SECONDS)) throw new IllegalStateException("It does not end: " + command);
        } finally {
            process.destroyForcibly();
        }
        var lines = Files.readAllLines(out).stream()
                .filter(line -> line.startsWith("{"))
                .map(JsonObjects.MAPPER::readTree)
                .toList();
        return new AgentCliRun(process.exitValue(), lines, Files.readString(err));
    }

    /** The last line of that type. */
    public JsonNode last(String type) {
        return lines.reversed().stream()
                .filter(line -> line.path("type").asString("").equals(type))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line of type " + type + " in " + lines + "\n" + errors));
    }
}
