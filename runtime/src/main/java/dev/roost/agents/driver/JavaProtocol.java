package dev.roost.agents.driver;

import dev.roost.agent.AgentMain;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.base.ErrorCode;
import dev.roost.model.Cause;
import dev.roost.model.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Runs the caller's class in its own JVM and parses its output; see {@code dev.roost.agent}. */
final class JavaProtocol implements AgentProtocol {

    static final String HOW_TO_INSTALL =
            "Name a class in config.toml: [agents.x] driver = \"java\", command = [\"java\", \"-cp\", \"app.jar\"],"
                    + " args = [\"com.example.Worker\"]";

    /** The profile's {@code command} is the JVM with its class path, {@code args} the class. */
    static void requireClass(AgentProfile profile) {
        if (profile.command().isEmpty() || profile.args().isEmpty()) {
            throw ErrorCode.NO_CLASS.error(
                    "The agent \"%s\" names no class that would do the work.".formatted(profile.name()),
                    HOW_TO_INSTALL.replace("agents.x", "agents." + profile.name()));
        }
    }

    static LaunchCommand launch(Driver driver, AttemptJob job) {
        return new LaunchCommand(
                LaunchCommand.words(driver, job.profile(), List.of(AgentMain.class.getName())),
                Map.of(),
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        var json = JsonLines.object(line);
        if (json.isEmpty()) return line.isBlank() ? List.of() : List.of(new AgentOutput.Note(JsonLines.oneLine(line)));
        return outputs(json.get(), json.get().path("text").asString(""));
    }

    private static List<AgentOutput> outputs(JsonNode json, String text) {
        var id = json.path("id").asString("");
        return switch (json.path("type").asString("")) {
            case "session" ->
                List.of(new AgentOutput.Session(json.path("session_id").asString("")));
            case "text" -> List.of(new AgentOutput.Text(text));
            case "note" -> List.of(new AgentOutput.Note(text));
            case "step_started" ->
                List.of(new AgentOutput.ToolStarted(
                        id, JsonLines.oneLine(json.path("name").asString(""))));
            case "step_ended" ->
                List.of(new AgentOutput.ToolEnded(id, json.path("failed").asBoolean(false), JsonLines.oneLine(text)));
            case "used" ->
                List.of(new AgentOutput.UsageTotal(new Usage(
                        json.path("input_tokens").asLong(0),
                        0,
                        json.path("output_tokens").asLong(0),
                        Optional.of(JsonLines.micros(json.path("cost_usd"))),
                        json.path("turns").asInt(0))));
            case "result" ->
                json.path("success").asBoolean(false)
                        ? List.of(new AgentOutput.Text(text), new AgentOutput.TurnReport(new FinalReport.Success(text)))
                        : List.of(new AgentOutput.TurnReport(
                                new FinalReport.Failure(Cause.AGENT_ERROR, JsonLines.why(text))));
            default -> List.of();
        };
    }
}
