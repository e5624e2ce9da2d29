package dev.roost.agents.driver;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** OpenCode and the lines of {@code opencode run --format json}, which has no final line: the last step's end and the exit decide. */
final class OpenCodeProtocol implements AgentProtocol {

    private static final int TOO_MANY_REQUESTS = 429;

    private final Optional<String> model;
    private final List<String> texts = new ArrayList<>(); // of the latest step
    private boolean begun;
    private Usage used = Usage.NONE;
    private String reason = "";
    private Optional<String> rejected = Optional.empty();
    private Optional<FinalReport> failure = Optional.empty();

    OpenCodeProtocol(AttemptJob job) {
        this.model = job.profile().model();
    }

    /** Starts {@code opencode run}. */
    static LaunchCommand launch(Driver driver, AttemptJob job) {
        var words = new ArrayList<>(List.of("run", "--format", "json"));
        job.session().ifPresent(id -> words.addAll(List.of("--session", id)));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        if (job.profile().permissions() == Permissions.ALL) words.add("--auto");
        return new LaunchCommand(
                LaunchCommand.words(driver, job.profile(), words),
                permissions(job.profile().permissions()),
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    /** Denies what is not allowed, so that OpenCode continues without it: an unanswerable question would end the run. */
    private static Map<String, String> permissions(Permissions permissions) {
        if (permissions == Permissions.ALL) return Map.of();
        var rules = JsonLines.object()
                .put("edit", permissions == Permissions.EDIT ? "allow" : "deny")
                .put("bash", "deny")
                .put("external_directory", "deny");
        return Map.of("OPENCODE_PERMISSION", rules.toString());
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        var json = JsonLines.object(line).orElse(JsonLines.object());
        var outputs = new ArrayList<AgentOutput>();
        if (!begun && json.has("sessionID")) {
            begun = true;
            outputs.add(new AgentOutput.Session(json.path("sessionID").asString("")));
            model.ifPresent(name -> outputs.add(new AgentOutput.Model(name)));
        }
        var part = json.path("part");
        switch (json.path("type").asString("")) {
            case "step_start" -> stepStarted();
            case "text" -> {
                texts.add(part.path("text").asString(""));
                outputs.add(new AgentOutput.Text(texts.getLast()));
            }
            case "tool_use" -> tool(part, outputs);
            case "step_finish" -> {
                reason = part.path("reason").asString("");
                used = used.plus(usage(part));
                outputs.add(new AgentOutput.UsageTotal(used));
            }
            case "error" -> failed(json, outputs);
            default -> {}
        }
        return outputs;
    }

    private void stepStarted() {
        texts.clear();
        reason = "";
        rejected = Optional.empty();
        failure = Optional.empty(); // OpenCode retries
    }

    /** OpenCode reports a tool only at its end. */
    private void tool(JsonNode part, List<AgentOutput> outputs) {
        var id = part.path("callID").asString("");
        var state = part.path("state");
        var what = JsonLines.call(part.path("tool").asString(""), state.path("input"));
        int status = state.at("/metadata/exit").asInt(0);
        var error = state.path("error").asString(status == 0 ? "" : "exit status " + status);
        boolean failed = status != 0 || state.path("status").asString("").equals("error");
        if (error.contains("rejected permission")) rejected = Optional.of(what);
        outputs.add(new AgentOutput.ToolStarted(id, what));
        outputs.add(new AgentOutput.ToolEnded(id, failed, JsonLines.oneLine(error)));
    }

    private static Usage usage(JsonNode part) {
        var tokens = part.path("tokens");
        return new Usage(
                tokens.path("input").asLong(0) + tokens.at("/cache/write").asLong(0),
                tokens.at("/cache/read").asLong(0),
                tokens.path("output").asLong(0) + tokens.path("reasoning").asLong(0),
                Optional.of(JsonLines.micros(part.path("cost"))),
                1);
    }

    private void failed(JsonNode json, List<AgentOutput> outputs) {
        var data = json.at("/error/data");
        boolean limited = data.path("statusCode").asInt(0) == TOO_MANY_REQUESTS;
        if (limited) outputs.add(new AgentOutput.RateLimit(reset(json), Cause.RATE_LIMITED.inWords()));
        var words = data.path("message").asString(json.at("/error/name").asString("it ended with an error"));
        failure = Optional.of(
                new FinalReport.Failure(limited ? Cause.RATE_LIMITED : Cause.AGENT_ERROR, JsonLines.why(words)));
    }

    private static Optional<Instant> reset(JsonNode json) {
        var seconds = json.at("/error/data/responseHeaders/retry-after").asString("");
        var timestamp = json.path("timestamp").asLongOpt();
        if (!seconds.matches("\\d{1,9}") || timestamp.isEmpty()) return Optional.empty();
        return Optional.of(Instant.ofEpochMilli(timestamp.getAsLong()).plusSeconds(Long.parseLong(seconds)));
    }

    @Override
    public List<AgentOutput> onExit(Exit exit) {
        if (failure.isPresent()) return List.of(new AgentOutput.TurnReport(failure.get()));
        if (exit.status() != 0) return List.of();
        return switch (reason) {
            case "stop" -> List.of(new AgentOutput.TurnReport(new FinalReport.Success(String.join("\n\n", texts))));
            case "length" -> failure(Cause.AGENT_ERROR, "its answer was cut off at the length its model allows");
            case "content-filter" -> failure(Cause.REFUSED, "a filter of the model's provider stopped its answer");
            default ->
                rejected.map(what -> failure(Cause.PERMISSION_DENIED, "it was not allowed to use " + what))
                        .orElse(List.of());
        };
    }

    private static List<AgentOutput> failure(Cause cause, String why) {
        return List.of(new AgentOutput.TurnReport(new FinalReport.Failure(cause, why)));
    }
}
