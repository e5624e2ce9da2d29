package dev.roost.rescue;

import dev.roost.base.TextFormat;
import dev.roost.rescue.LostAgent.Kind;
import dev.roost.rescue.LostAgent.State;
import dev.roost.rescue.LostAgent.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Finds Claude Code's background sessions that are marked as unfinished, but that no process runs. */
final class ClaudeJobs {

    private final Path claude;
    private final ScanWindow window;
    private final ClaudeProcesses processes;

    ClaudeJobs(ToolDirectories toolDirectories, ScanWindow window) {
        this.claude = toolDirectories.claude();
        this.window = window;
        this.processes = ClaudeProcesses.in(claude.resolve("sessions"));
    }

    List<LostAgent> search() throws IOException {
        var found = new ArrayList<LostAgent>();
        for (var folder : DirectoryEntries.list(claude.resolve("jobs"), "*")) {
            var file = folder.resolve("state.json");
            var job = JsonLinesFile.whole(file)
                    .filter(state -> state.path("firstTerminalAt").isNull());
            if (job.isPresent() && window.covers(file)) judge(job.get(), file).ifPresent(found::add);
        }
        return found;
    }

    private Optional<LostAgent> judge(JsonNode job, Path file) throws IOException {
        var session = job.path("sessionId").asString("");
        var began = JsonLinesFile.time(job, "createdAt");
        var updated = JsonLinesFile.time(job, "updatedAt");
        if (session.isEmpty() || began.isEmpty() || updated.isEmpty()) return Optional.empty();
        var transcript = new ClaudeTranscript();
        for (var project : DirectoryEntries.list(claude.resolve("projects"), "*")) {
            var own = project.resolve(session + ".jsonl");
            if (Files.isRegularFile(own)) JsonLinesFile.read(own, transcript::consume);
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
                transcript.last().filter(at -> at.isAfter(updated.get())).orElse(updated.get()),
                transcript.ended() ? State.FINISHED : State.CUT,
                transcript.text(),
                transcript.doing(),
                transcript.ended()
                        ? "its transcript ends with an answer, but its job is still called \"%s\""
                                .formatted(
                                        TextFormat.printable(job.path("state").asString("")))
                        : "its job is called \"%s\", and no process runs it"
                                .formatted(
                                        TextFormat.printable(job.path("state").asString(""))),
                file);
        return Optional.of(processes
                .of(session, window.now())
                .or(this::supervisor)
                .map(pid -> agent.atWork("process %d sees to it".formatted(pid)))
                .orElseGet(() -> window.unlessRecent(agent)));
    }

    /** Claude Code's supervisor process, which restarts a job whose process has died. */
    private Optional<Long> supervisor() {
        return JsonLinesFile.whole(claude.resolve("daemon.status.json"))
                .filter(status -> LiveProcesses.isSame(
                        status.path("supervisorPid").asLong(0),
                        status.path("supervisorProcStart").asString("")))
                .map(status -> status.path("supervisorPid").asLong());
    }
}
