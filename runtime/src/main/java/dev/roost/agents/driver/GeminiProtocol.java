package dev.roost.agents.driver;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.ModelTurnCounter;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Usage;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Gemini CLI and the lines of {@code gemini --output-format stream-json}: text in chunks, and the usage of one process at its end. */
final class GeminiProtocol implements AgentProtocol {

    private static final Pattern LIMIT =
            Pattern.compile("quota|rate limit|RESOURCE_EXHAUSTED|\\b429\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern RESET =
            Pattern.compile("after (?=\\d)((?:\\d{1,6}h)?(?:\\d{1,6}m)?(?:\\d{1,6}(?:\\.\\d{1,9})?s)?)");
    /** Prevents a relaunch as a process that signals do not reach, and the question whether to trust the directory. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("GEMINI_CLI_NO_RELAUNCH", "true", "GEMINI_CLI_TRUST_WORKSPACE", "true");

    private static final int EXIT_OF_429 = 429 % 256; // the exit status is the HTTP status modulo 256

    private final ModelTurnCounter modelTurnCounter = new ModelTurnCounter();
    private final StringBuilder answer = new StringBuilder(); // since the latest tool
    private int passedOn; // characters of the answer
    private String trouble = ""; // the last error, until other output follows
    private Optional<FinalReport.Failure> failure = Optional.empty();

    /** Starts it headless. */
    static LaunchCommand launch(Driver driver, AttemptJob job) {
        var words = new ArrayList<>(List.of(
                "--output-format",
                "stream-json",
                "--approval-mode",
                switch (job.profile().permissions()) {
                    case SAFE -> "default";
                    case EDIT -> "auto_edit";
                    case ALL -> "yolo";
                }));
        job.session().ifPresent(id -> words.addAll(List.of("--resume", id)));
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        return new LaunchCommand(
                LaunchCommand.words(driver, job.profile(), words),
                ENVIRONMENT,
                new LaunchCommand.AgentStdin.Text(job.promptAfterSystemPrompt()));
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        var json = JsonLines.object(line).orElse(JsonLines.object());
        var outputs = new ArrayList<AgentOutput>();
        switch (json.path("type").asString("")) {
            case "init" -> {
                outputs.add(new AgentOutput.Session(json.path("session_id").asString("")));
                outputs.add(new AgentOutput.Model(json.path("model").asString("")));
            }
            case "message" -> {
                if (json.path("role").asString("").equals("assistant")) {
                    goesOn(outputs);
                    answer.append(json.path("content").asString(""));
                }
            }
            case "tool_use" -> {
                goesOn(outputs);
                outputs.addAll(words());
                outputs.add(new AgentOutput.ToolStarted(
                        json.path("tool_id").asString(""),
                        JsonLines.call(json.path("tool_name").asString(""), json.path("parameters"))));
            }
            case "tool_result" -> {
                boolean failed = json.path("status").asString("").equals("error");
                var how = json.at("/error/message").asString(json.path("output").asString(""));
                outputs.add(new AgentOutput.ToolEnded(
                        json.path("tool_id").asString(""), failed, failed ? JsonLines.oneLine(how) : ""));
                modelTurnCounter.toolEnded();
                answer.setLength(0);
                passedOn = 0;
            }
            case "error" -> {
                trouble = json.path("message").asString("");
                outputs.addAll(words());
                outputs.add(new AgentOutput.Note(JsonLines.why(trouble)));
            }
            case "result" -> {
                outputs.addAll(words());
                outputs.add(new AgentOutput.UsageTotal(usage(json.path("stats"))));
                ended(json, outputs);
            }
            default -> {}
        }
        return outputs;
    }

    private void goesOn(List<AgentOutput> outputs) {
        trouble = "";
        if (modelTurnCounter.partReceived())
            outputs.add(new AgentOutput.UsageTotal(new Usage(0, 0, 0, Optional.empty(), modelTurnCounter.count())));
    }

    /** Returns the chunks since the last call, as one text. */
    private List<AgentOutput> words() {
        var text = answer.substring(passedOn);
        passedOn = answer.length();
        return text.isBlank() ? List.of() : List.of(new AgentOutput.Text(text));
    }

    /** Counts thoughts, which only the total includes, as output: the provider bills them as output. */
    private Usage usage(JsonNode stats) {
        long read = stats.path("input_tokens").asLong(0);
        long cached = stats.path("cached").asLong(0);
        long written = Math.max(
                stats.path("output_tokens").asLong(0),
                stats.path("total_tokens").asLong(0) - read);
        return new Usage(read - cached, cached, written, Optional.empty(), modelTurnCounter.count());
    }

    /** Reports a success after an error (a loop, the turn limit) as a failure: gemini then gave up. */
    private void ended(JsonNode json, List<AgentOutput> outputs) {
        if (json.path("status").asString("").equals("success") && trouble.isBlank()) {
            outputs.add(new AgentOutput.TurnReport(new FinalReport.Success(answer.toString())));
            return;
        }
        var words = json.at("/error/message").asString(trouble.isBlank() ? "it ended with an error" : trouble);
        boolean turns = words.contains("session turns");
        boolean limited = !turns && LIMIT.matcher(words).find();
        if (limited) outputs.add(new AgentOutput.RateLimit(reset(words, json), Cause.RATE_LIMITED.inWords()));
        failure = Optional.of(new FinalReport.Failure(
                turns ? Cause.BUDGET_TURNS : limited ? Cause.RATE_LIMITED : Cause.AGENT_ERROR,
                JsonLines.why(words).replaceFirst("^\\[API Error: (.*?)]", "API error: $1")));
        outputs.add(new AgentOutput.TurnReport(failure.get()));
    }

    private static Optional<Instant> reset(String words, JsonNode json) {
        var after = RESET.matcher(words);
        if (!after.find()) return Optional.empty();
        try {
            var wait = Duration.parse("PT" + after.group(1).toUpperCase(Locale.ROOT));
            return Optional.of(
                    Instant.parse(json.path("timestamp").asString("")).plus(wait));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<AgentOutput> onExit(Exit exit) {
        if (failure.isEmpty()) return words(); // the exit may have cut them off
        if (exit.status() != EXIT_OF_429 || failure.get().cause() != Cause.AGENT_ERROR) return List.of();
        return List.of(
                new AgentOutput.RateLimit(Optional.empty(), Cause.RATE_LIMITED.inWords()),
                new AgentOutput.TurnReport(new FinalReport.Failure(
                        Cause.RATE_LIMITED, failure.get().reason())));
    }
}
