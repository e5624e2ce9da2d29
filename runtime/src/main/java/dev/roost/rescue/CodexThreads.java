package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Finds Codex threads that stop in the middle of a turn, and agents whose parent never received their answer. */
final class CodexThreads {

    private static final int YEAR_MONTH_DAY_FILE = 4;

    private final Path sessions;
    private final ScanWindow window;

    CodexThreads(ToolDirectories toolDirectories, ScanWindow window) {
        this.sessions = toolDirectories.codex().resolve("sessions");
        this.window = window;
    }

    List<LostAgent> search() throws IOException {
        var threads = new LinkedHashMap<String, CodexRollout>();
        for (var file : files()) {
            var rollout = CodexRollout.read(file);
            rollout.id().ifPresent(id -> threads.put(id, rollout));
        }
        var found = new ArrayList<LostAgent>();
        threads.forEach((id, rollout) -> judge(id, rollout, threads).ifPresent(found::add));
        return found;
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(sessions)) return List.of();
        try (var files = Files.walk(sessions, YEAR_MONTH_DAY_FILE)) {
            return files.filter(file -> file.getFileName().toString().matches("rollout-.*\\.jsonl"))
                    .filter(window::covers)
                    .sorted()
                    .toList();
        }
    }

    private Optional<LostAgent> judge(String id, CodexRollout rollout, Map<String, CodexRollout> threads) {
        var session = rollout.parent().map(threads::get);
        boolean interrupted = rollout.turn == CodexRollout.Turn.OPEN;
        boolean undelivered = rollout.turn == CodexRollout.Turn.COMPLETE
                && session.isPresent()
                && session.get().writesToItsAgents()
                && rollout.path().filter(path -> !session.get().heardFrom(path)).isPresent();
        if ((!interrupted && !undelivered) || rollout.began().isEmpty() || rollout.last.isEmpty())
            return Optional.empty();
        var agent = new LostAgent(
                Tool.CODEX,
                rollout.parent().isPresent() ? Kind.AGENT : Kind.SESSION,
                id,
                rollout.parent().orElse(id),
                Optional.of(id),
                TextFormat.printable(rollout.path()
                        .map(path -> path.substring(path.lastIndexOf('/') + 1))
                        .orElseGet(() -> rollout.task.strip())),
                rollout.cwd(),
                rollout.began().get(),
                rollout.last.get(),
                interrupted ? State.CUT : State.FINISHED,
                rollout.text,
                interrupted ? rollout.doing() : Optional.empty(),
                interrupted
                        ? "its rollout stops in the middle of a turn"
                        : "it finished, and its parent was never told",
                rollout.file);
        var holder = window.liveProcesses().findHolder(rollout.file, window.now());
        return Optional.of(window.unlessAtWork(agent, holder, "process %d has its rollout open"));
    }

    /** A Codex thread, read from its rollout file. */
    private static final class CodexRollout {

        /** The state of the latest turn. */
        enum Turn {
            NONE,
            OPEN,
            COMPLETE,
            ABORTED
        }

        final Path file;
        private final Map<String, String> open = new LinkedHashMap<>(); // calls without an output
        private final Set<String> heardFrom = new HashSet<>();
        private Optional<JsonNode> meta = Optional.empty();
        Optional<Instant> last = Optional.empty();
        Turn turn = Turn.NONE;
        String task = "";
        String text = "";

        private CodexRollout(Path file) {
            this.file = file;
        }

        static CodexRollout read(Path file) throws IOException {
            var rollout = new CodexRollout(file);
            JsonLines.read(file, rollout::consume);
            return rollout;
        }

        private void consume(JsonNode line) {
            var payload = line.path("payload");
            last = JsonLines.time(line, "timestamp").or(() -> last);
            switch (line.path("type").asString("")) {
                case "session_meta" ->
                    meta = meta.or(() -> Optional.of(payload)); // a fork also has the one of its parent
                case "event_msg" -> event(payload);
                case "response_item" -> item(payload);
                default -> {}
            }
        }

        private void event(JsonNode event) {
            switch (event.path("type").asString("")) {
                case "task_started" -> {
                    turn = Turn.OPEN;
                    text = "";
                    open.clear();
                }
                case "task_complete" -> {
                    turn = Turn.COMPLETE;
                    text = event.path("last_agent_message").asString(text);
                }
                case "turn_aborted" -> turn = Turn.ABORTED;
                default -> {}
            }
        }

        private void item(JsonNode item) {
            switch (item.path("type").asString("")) {
                case "message" -> {
                    var words = words(item.path("content"));
                    var role = item.path("role").asString("");
                    if (role.equals("assistant") && !words.isBlank()) text = words;
                    if (role.equals("user") && !words.startsWith("<")) task = words;
                }
                case "agent_message" -> {
                    heardFrom.add(item.path("author").asString(""));
                    if (item.path("recipient").asString("").equals(path().orElse("/root")))
                        for (var part : item.path("content"))
                            task = part.path("encrypted_content").asString(task);
                }
                case "function_call", "custom_tool_call" ->
                    open.put(
                            item.path("call_id").asString(""),
                            LostAgent.call(
                                    item.path("name").asString("a tool"),
                                    JsonLines.object(item.path("arguments")
                                                    .asString("{}")
                                                    .strip())
                                            .orElseGet(JsonLines::object)));
                case "function_call_output", "custom_tool_call_output" ->
                    open.remove(item.path("call_id").asString(""));
                default -> {}
            }
        }

        private static String words(JsonNode content) {
            var words = new StringBuilder();
            for (var part : content) words.append(part.path("text").asString(""));
            return words.toString();
        }

        private Optional<String> meta(String field) {
            return meta.flatMap(one -> one.path(field).asStringOpt());
        }

        Optional<String> id() {
            return meta("id");
        }

        Optional<String> parent() {
            return meta("parent_thread_id");
        }

        /** The path by which the parent names this agent. */
        Optional<String> path() {
            return meta("agent_path");
        }

        Optional<Path> cwd() {
            return meta("cwd").map(Path::of);
        }

        Optional<Instant> began() {
            return meta.flatMap(one -> JsonLines.time(one, "timestamp"));
        }

        /** Whether the thread receives the answers of its agents as separate messages. */
        boolean writesToItsAgents() {
            return meta("multi_agent_version").equals(Optional.of("v2"));
        }

        boolean heardFrom(String path) {
            return heardFrom.contains(path);
        }

        Optional<String> doing() {
            return open.values().stream().reduce((_, latest) -> latest);
        }
    }
}
