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
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Codex and the lines of {@code codex exec --json}. Codex counts usage from the beginning of the thread, over all processes. */
final class CodexProtocol implements AgentProtocol {

    private static final Pattern LIMIT =
            Pattern.compile("usage limit|rate limit|429 Too Many Requests", Pattern.CASE_INSENSITIVE);

    private final Optional<String> model;
    private final boolean resumed;
    private final Usage before;
    private final Set<String> tools = new HashSet<>();
    private final ModelTurnCounter modelTurnCounter = new ModelTurnCounter();
    private Usage used = Usage.NONE;
    private String thread = "";
    private String answer = "";
    private String trouble = "";

    CodexProtocol(AttemptJob job) {
        this.model = job.profile().model();
        this.resumed = job.continues();
        this.before = resumed ? job.before() : Usage.NONE;
    }

    /** Starts {@code codex exec}. */
    static LaunchCommand launch(Driver driver, AttemptJob job) {
        var words = new ArrayList<>(List.of("exec", "--json", "--skip-git-repo-check"));
        words.addAll(
                switch (job.profile().permissions()) {
                    case SAFE -> List.of("--sandbox", "read-only");
                    case EDIT -> List.of("--sandbox", "workspace-write");
                    case ALL -> List.of("--dangerously-bypass-approvals-and-sandbox");
                });
        job.profile().model().ifPresent(model -> words.addAll(List.of("--model", model)));
        job.profile()
                .systemPrompt()
                .ifPresent(text -> words.addAll(List.of("-c", "developer_instructions=" + JsonLines.quoted(text))));
        var argv = new ArrayList<>(LaunchCommand.words(driver, job.profile(), words));
        job.session().ifPresent(thread -> argv.addAll(List.of("resume", thread)));
        argv.add("-"); // the prompt comes on standard input
        return new LaunchCommand(List.copyOf(argv), Map.of(), new LaunchCommand.AgentStdin.Text(job.prompt()));
    }

    @Override
    public List<AgentOutput> parseLine(String line) {
        return JsonLines.object(line)
                .map(json -> switch (json.path("type").asString("")) {
                    case "thread.started" -> begins(json.path("thread_id").asString(""));
                    case "item.started" -> item(json.path("item"), false);
                    case "item.completed" -> item(json.path("item"), true);
                    case "error" -> troubled(json.path("message").asString(""));
                    case "turn.completed" -> completed(json.path("usage"));
                    case "turn.failed" -> failed(json.at("/error/message").asString(trouble));
                    default -> List.<AgentOutput>of();
                })
                .orElse(List.of());
    }

    private List<AgentOutput> begins(String id) {
        thread = id;
        var outputs = new ArrayList<AgentOutput>(List.of(new AgentOutput.Session(id)));
        model.ifPresent(name -> outputs.add(new AgentOutput.Model(name)));
        return outputs;
    }

    private List<AgentOutput> item(JsonNode item, boolean done) {
        var type = item.path("type").asString("");
        if (type.equals("todo_list")) return List.of();
        if (type.equals("error"))
            return List.of(new AgentOutput.Note(item.path("message").asString(""))); // only a warning
        var outputs = new ArrayList<AgentOutput>();
        switch (type) {
            case "reasoning" -> answers(outputs);
            case "agent_message" -> {
                answers(outputs);
                answer = item.path("text").asString("");
                if (done && !answer.isBlank()) outputs.add(new AgentOutput.Text(answer));
            }
            default -> tool(item, type, done, outputs);
        }
        return outputs;
    }

    private void answers(List<AgentOutput> outputs) {
        if (modelTurnCounter.partReceived()) outputs.add(new AgentOutput.UsageTotal(soFar()));
    }

    private void tool(JsonNode item, String type, boolean done, List<AgentOutput> outputs) {
        var id = item.path("id").asString("");
        if (tools.add(id)) {
            answers(outputs);
            outputs.add(new AgentOutput.ToolStarted(id, call(type, item)));
        }
        if (!done) return;
        boolean failed =
                Set.of("failed", "declined").contains(item.path("status").asString(""));
        outputs.add(new AgentOutput.ToolEnded(id, failed, failed ? how(item) : ""));
        modelTurnCounter.toolEnded();
    }

    private static String call(String type, JsonNode item) {
        return switch (type) {
            case "command_execution" ->
                JsonLines.oneLine(
                        "shell: " + item.path("command").asString("").replaceFirst("^/\\S+ -lc '([^']*)'$", "$1"));
            case "file_change" -> {
                var paths = item.path("changes")
                        .valueStream()
                        .map(change -> change.path("path").asString(""))
                        .toList();
                yield JsonLines.oneLine("edit: " + String.join(", ", paths));
            }
            case "mcp_tool_call" ->
                JsonLines.call(
                        item.path("server").asString("") + "."
                                + item.path("tool").asString(""),
                        item.path("arguments"));
            default -> JsonLines.call(type, item);
        };
    }

    private static String how(JsonNode item) {
        var words = item.at("/error/message")
                .asString(item.path("aggregated_output").asString(""));
        var status = item.path("exit_code").isNumber()
                ? "exit status " + item.path("exit_code").asInt() + ": "
                : "";
        return JsonLines.oneLine(status + words);
    }

    private Usage soFar() {
        return new Usage(used.input(), used.cached(), used.output(), Optional.empty(), modelTurnCounter.count());
    }

    /** A reconnection is only a note. After any other error, {@code turn.failed} or the exit follows. */
    private List<AgentOutput> troubled(String words) {
        if (words.startsWith("Reconnecting")) return List.of(new AgentOutput.Note(JsonLines.oneLine(words)));
        trouble = words;
        return List.of();
    }

    private List<AgentOutput> completed(JsonNode usage) {
        long cached = usage.path("cached_input_tokens").asLong(0);
        used = new Usage(
                        usage.path("input_tokens").asLong(0) - cached,
                        cached,
                        usage.path("output_tokens").asLong(0),
                        Optional.empty(),
                        0)
                .since(before);
        trouble = "";
        return List.of(
                new AgentOutput.UsageTotal(soFar()), new AgentOutput.TurnReport(new FinalReport.Success(answer)));
    }

    private List<AgentOutput> failed(String words) {
        trouble = "";
        boolean limited = LIMIT.matcher(words).find();
        var word = new AgentOutput.TurnReport(
                new FinalReport.Failure(limited ? Cause.RATE_LIMITED : Cause.AGENT_ERROR, JsonLines.why(words)));
        return limited
                ? List.of(
                        new AgentOutput.RateLimit(
                                CodexLimitReset.in(words, resumed ? "" : thread), Cause.RATE_LIMITED.inWords()),
                        word)
                : List.of(word);
    }

    @Override
    public List<AgentOutput> onExit(Exit exit) {
        return trouble.isBlank() || exit.signaled() ? List.of() : failed(trouble);
    }

    /** Parses the end of a usage limit. Codex prints it in words and local time, and names the day unless it is today. */
    static final class CodexLimitReset {

        private static final Pattern WORDS = Pattern.compile(
                "try again at (?:(\\w{3} \\d{1,2})\\w\\w, (\\d{4}) )?(\\d{1,2}:\\d\\d [AP]M)",
                Pattern.CASE_INSENSITIVE);
        private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("MMM d yyyy", Locale.US);
        private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("h:mm a", Locale.US);
        private static final Pattern VERSION_7 =
                Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");

        private CodexLimitReset() {}

        /** Today's date is that in the id of {@code newThread}, as Codex's lines have no date; "" for a resumed thread. */
        static Optional<Instant> in(String words, String newThread) {
            var matcher = WORDS.matcher(words);
            if (!matcher.find()) return Optional.empty();
            var zone = ZoneId.systemDefault();
            try {
                var time = LocalTime.parse(matcher.group(3).toUpperCase(Locale.ROOT), TIME);
                var day = matcher.group(1) == null
                        ? began(newThread).map(at -> LocalDate.ofInstant(at, zone))
                        : Optional.of(LocalDate.parse(matcher.group(1) + " " + matcher.group(2), DATE));
                return day.map(date -> date.atTime(time).atZone(zone).toInstant());
            } catch (DateTimeParseException e) {
                return Optional.empty();
            }
        }

        private static Optional<Instant> began(String thread) {
            if (!VERSION_7.matcher(thread).matches()) return Optional.empty();
            return Optional.of(Instant.ofEpochMilli(UUID.fromString(thread).getMostSignificantBits() >>> 16));
        }
    }
}
