package dev.roost.rescue;

import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds Claude Code's sub-agents and background commands whose session was never notified of their end. */
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
        for (var project : DirectoryEntries.list(toolDirectories.claude().resolve("projects"), "*")) {
            for (var transcript : DirectoryEntries.list(project, "*.jsonl")) {
                var name = transcript.getFileName().toString();
                found.addAll(session(project, transcript, name.substring(0, name.length() - ".jsonl".length())));
            }
        }
        return found;
    }

    private List<LostAgent> session(Path project, Path transcript, String session) throws IOException {
        var agents = DirectoryEntries.list(transcript.resolveSibling(session).resolve("subagents"), "agent-*.jsonl");
        if (!window.covers(transcript) && agents.stream().noneMatch(window::covers)) return List.of();
        var deliveries = new ClaudeDeliveries();
        JsonLinesFile.read(transcript, deliveries::consume);
        var found = new ArrayList<LostAgent>();
        for (var file : agents) JsonLinesFile.read(file, deliveries::consume); // an agent may start further agents
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
        JsonLinesFile.read(file, transcript::consume);
        if (transcript.first().isEmpty() || transcript.last().isEmpty()) return Optional.empty();
        var delivered = deliveries.findDelivery(id);
        boolean wrongly = transcript.ended() && !delivered.equals(Optional.of("completed"));
        if (delivered.isPresent() && !wrongly) return Optional.empty();
        var meta = JsonLinesFile.whole(file.resolveSibling("agent-" + id + ".meta.json"));
        var lost = new LostAgent(
                Tool.CLAUDE,
                Kind.AGENT,
                id,
                session,
                Optional.empty(),
                meta.flatMap(one -> one.path("description").asStringOpt())
                        .map(TextFormat::printable)
                        .orElseGet(() -> TextFormat.printable(transcript.prompt())),
                transcript.cwd(),
                transcript.first().get(),
                transcript.last().get(),
                transcript.ended() ? State.FINISHED : State.CUT,
                transcript.text(),
                transcript.doing(),
                why(transcript, delivered),
                file);
        return Optional.of(processes
                .of(session, lost.lastSign())
                .map(pid -> lost.atWork("its session runs, as process " + pid))
                .orElseGet(() -> window.unlessRecent(lost)));
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
        return Optional.of(processes
                .of(session, lost.lastSign())
                .map(pid -> lost.atWork("its session runs, as process " + pid))
                .orElseGet(() -> window.unlessRecent(lost)));
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
}
