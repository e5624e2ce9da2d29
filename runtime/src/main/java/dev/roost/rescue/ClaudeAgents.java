package dev.roost.rescue;

import dev.roost.agents.JsonLines;
import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import dev.roost.rescue.ScanWindow.LiveProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Finds Claude Code's sub-agents and background commands whose session was never notified of their end, and its jobs. */
final class ClaudeAgents {

    private static final int MOST_OUTPUT = 1 << 20;

    private final ToolDirectories toolDirectories;
    private final ScanWindow window;
    private final ClaudeProcesses processes;

    ClaudeAgents(ToolDirectories toolDirectories, ScanWindow window) {
        this.toolDirectories = toolDirectories;
        this.window = window;
        this.processes = ClaudeProcesses.in(toolDirectories.claude().resolve("sessions"));
    }

    List<LostAgent> search() throws IOException {
        var found = new ArrayList<LostAgent>();
        for (var project : ToolDirectories.entries(toolDirectories.claude().resolve("projects"), "*")) {
            for (var transcript : ToolDirectories.entries(project, "*.jsonl")) {
                var name = transcript.getFileName().toString();
                found.addAll(session(project, transcript, name.substring(0, name.length() - ".jsonl".length())));
            }
        }
        return found;
    }

    private List<LostAgent> session(Path project, Path transcript, String session) throws IOException {
        var agents = ToolDirectories.entries(transcript.resolveSibling(session).resolve("subagents"), "agent-*.jsonl");
        if (!window.covers(transcript) && agents.stream().noneMatch(window::covers)) return List.of();
        var deliveries = new ClaudeDeliveries();
        JsonLines.read(transcript, deliveries::consume);
        var found = new ArrayList<LostAgent>();
        for (var file : agents) JsonLines.read(file, deliveries::consume); // an agent may start further agents
        for (var file : agents)
            if (window.covers(file)) agent(file, session, deliveries).ifPresent(found::add);
        for (var shell : deliveries.shells()) {
            if (deliveries.findDelivery(shell.id()).isEmpty())
                shell(shell, tasks(project, session), transcript, session).ifPresent(found::add);
        }
        return found;
    }

    private Optional<LostAgent> agent(Path file, String session, ClaudeDeliveries deliveries) throws IOException {
        var name = file.getFileName().toString();
        var id = name.substring("agent-".length(), name.length() - ".jsonl".length());
        var transcript = new ClaudeTranscript();
        JsonLines.read(file, transcript::consume);
        if (transcript.first.isEmpty() || transcript.last.isEmpty()) return Optional.empty();
        var delivered = deliveries.findDelivery(id);
        boolean wrongly = transcript.ended() && !delivered.equals(Optional.of("completed"));
        if (delivered.isPresent() && !wrongly) return Optional.empty();
        var meta = JsonLines.object(file.resolveSibling("agent-" + id + ".meta.json"));
        var lost = new LostAgent(
                Tool.CLAUDE,
                Kind.AGENT,
                id,
                session,
                Optional.empty(),
                meta.flatMap(one -> one.path("description").asStringOpt())
                        .map(TextFormat::printable)
                        .orElseGet(() -> TextFormat.printable(transcript.prompt)),
                transcript.cwd,
                transcript.first.get(),
                transcript.last.get(),
                transcript.ended() ? State.FINISHED : State.CUT,
                transcript.text,
                transcript.doing(),
                why(transcript, delivered),
                file);
        return Optional.of(unlessSessionRuns(lost, session));
    }

    private LostAgent unlessSessionRuns(LostAgent lost, String session) {
        return window.unlessAtWork(lost, processes.of(session, lost.lastSign()), "its session runs, as process %d");
    }

    private static String why(ClaudeTranscript transcript, Optional<String> delivered) {
        if (!transcript.ended()) return "its transcript stops in the middle, and its session was never told";
        return delivered
                .map(status -> "it finished, but its session was told \"%s\"".formatted(TextFormat.printable(status)))
                .orElse("it finished, and its session was never told");
    }

    /** A background command. Its end is not recorded anywhere, so only its output is known. */
    private Optional<LostAgent> shell(
            ClaudeDeliveries.BackgroundShell shell, Path tasks, Path transcript, String session) throws IOException {
        var output = tasks.resolve(shell.id() + ".output");
        boolean there = Files.isRegularFile(output);
        var last = there ? later(shell.at(), Files.getLastModifiedTime(output).toInstant()) : shell.at();
        if (!window.covers(last)) return Optional.empty();
        var lost = new LostAgent(
                Tool.CLAUDE,
                Kind.SHELL,
                shell.id(),
                session,
                Optional.empty(),
                TextFormat.printable(shell.command()),
                shell.cwd(),
                shell.at(),
                last,
                State.CUT,
                there ? tail(output) : "",
                Optional.empty(),
                there
                        ? "its session was never told how it ended"
                        : "its session was never told how it ended, and its output is gone",
                transcript);
        var holder = window.liveProcesses().findHolder(output, window.now());
        if (holder.isPresent()) return Optional.of(lost.atWork("process %d writes its output".formatted(holder.get())));
        return Optional.of(unlessSessionRuns(lost, session));
    }

    private Path tasks(Path project, String session) {
        return toolDirectories.claudeTasks().resolve(project.getFileName()).resolve(session, "tasks");
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private static String tail(Path file) throws IOException {
        try (var channel = Files.newByteChannel(file)) {
            long from = Math.max(0, channel.size() - MOST_OUTPUT);
            channel.position(from);
            var bytes = java.nio.ByteBuffer.allocate((int) (channel.size() - from));
            while (bytes.hasRemaining() && channel.read(bytes) > 0) {
                // until the buffer is full
            }
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        }
    }

    /** Finds background sessions that are marked as unfinished, but that no process runs. */
    List<LostAgent> searchJobs() throws IOException {
        var found = new ArrayList<LostAgent>();
        for (var folder : ToolDirectories.entries(toolDirectories.claude().resolve("jobs"), "*")) {
            var file = folder.resolve("state.json");
            var job = JsonLines.object(file)
                    .filter(state -> state.path("firstTerminalAt").isNull());
            if (job.isPresent() && window.covers(file)) judge(job.get(), file).ifPresent(found::add);
        }
        return found;
    }

    private Optional<LostAgent> judge(JsonNode job, Path file) throws IOException {
        var session = job.path("sessionId").asString("");
        var began = JsonLines.time(job, "createdAt");
        var updated = JsonLines.time(job, "updatedAt");
        if (session.isEmpty() || began.isEmpty() || updated.isEmpty()) return Optional.empty();
        var transcript = new ClaudeTranscript();
        for (var project : ToolDirectories.entries(toolDirectories.claude().resolve("projects"), "*")) {
            var own = project.resolve(session + ".jsonl");
            if (Files.isRegularFile(own)) JsonLines.read(own, transcript::consume);
        }
        var agent = new LostAgent(
                Tool.CLAUDE,
                Kind.SESSION,
                session,
                session,
                Optional.of(session),
                TextFormat.printable(
                        job.path("name").asString(job.path("intent").asString(""))),
                job.path("cwd").asStringOpt().map(Path::of),
                began.get(),
                transcript.last.filter(at -> at.isAfter(updated.get())).orElse(updated.get()),
                transcript.ended() ? State.FINISHED : State.CUT,
                transcript.text,
                transcript.doing(),
                transcript.ended()
                        ? "its transcript ends with an answer, but its job is still called \"%s\""
                                .formatted(
                                        TextFormat.printable(job.path("state").asString("")))
                        : "its job is called \"%s\", and no process runs it"
                                .formatted(
                                        TextFormat.printable(job.path("state").asString(""))),
                file);
        var process = processes.of(session, window.now()).or(this::supervisor);
        return Optional.of(window.unlessAtWork(agent, process, "process %d sees to it"));
    }

    /** Claude Code's supervisor process, which restarts a job whose process has died. */
    private Optional<Long> supervisor() {
        return JsonLines.object(toolDirectories.claude().resolve("daemon.status.json"))
                .filter(status -> LiveProcesses.isSame(
                        status.path("supervisorPid").asLong(0),
                        status.path("supervisorProcStart").asString("")))
                .map(status -> status.path("supervisorPid").asLong());
    }

    /** The open sessions from Claude Code's own records, without the stale records of killed sessions. */
    private record ClaudeProcesses(List<Session> open) {

        record Session(String id, long pid, Instant began) {}

        static ClaudeProcesses in(Path folder) {
            var open = new ArrayList<Session>();
            try {
                for (var file : ToolDirectories.entries(folder, "*.json")) {
                    var json = JsonLines.object(file);
                    if (json.isEmpty()) continue;
                    long pid = json.get().path("pid").asLong(0);
                    if (!LiveProcesses.isSame(pid, json.get().path("procStart").asString(""))) continue;
                    open.add(new Session(
                            json.get().path("sessionId").asString(""),
                            pid,
                            Instant.ofEpochMilli(json.get().path("startedAt").asLong(0))));
                }
            } catch (IOException e) {
                return new ClaudeProcesses(List.of());
            }
            return new ClaudeProcesses(open);
        }

        /** The process of this session, if it started no later than {@code by}. */
        Optional<Long> of(String session, Instant by) {
            return open.stream()
                    .filter(one -> one.id().equals(session) && !one.began().isAfter(by))
                    .map(Session::pid)
                    .findFirst();
        }
    }
}
