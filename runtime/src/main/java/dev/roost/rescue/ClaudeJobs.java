package dev.roost.rescue;

import dev.roost.rescue.Lost.Kind;
import dev.roost.rescue.Lost.State;
import dev.roost.rescue.Lost.Tool;
import dev.roost.run.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Sessions that Claude Code was to run in the background, and that it takes for unfinished though nobody runs them. */
final class ClaudeJobs {

    private final Path claude;
    private final Sight sight;
    private final ClaudeProcesses processes;

    ClaudeJobs(Places places, Sight sight) {
        this.claude = places.claude();
        this.sight = sight;
        this.processes = ClaudeProcesses.in(claude.resolve("sessions"));
    }

    List<Lost> search() throws IOException {
        var found = new ArrayList<Lost>();
        for (var folder : Folder.list(claude.resolve("jobs"), "*")) {
            var file = folder.resolve("state.json");
            var job = JsonLines.whole(file)
                    .filter(state -> state.path("firstTerminalAt").isNull());
            if (job.isPresent() && sight.covers(file)) judge(job.get(), file).ifPresent(found::add);
        }
        return found;
    }

    private Optional<Lost> judge(JsonNode job, Path file) throws IOException {
        var session = job.path("sessionId").asString("");
        var began = JsonLines.time(job, "createdAt");
        var updated = JsonLines.time(job, "updatedAt");
        if (session.isEmpty() || began.isEmpty() || updated.isEmpty()) return Optional.empty();
        var transcript = new ClaudeTranscript();
        for (var project : Folder.list(claude.resolve("projects"), "*")) {
            var own = project.resolve(session + ".jsonl");
            if (Files.isRegularFile(own)) JsonLines.read(own, transcript::hear);
        }
        var lost = new Lost(
                Tool.CLAUDE,
                Kind.SESSION,
                session,
                session,
                Optional.of(session),
                Words.printable(job.path("name").asString(job.path("intent").asString(""))),
                job.path("cwd").asStringOpt().map(Path::of),
                began.get(),
                transcript.last().filter(at -> at.isAfter(updated.get())).orElse(updated.get()),
                transcript.ended() ? State.FINISHED : State.CUT,
                transcript.text(),
                transcript.doing(),
                transcript.ended()
                        ? "its transcript ends with an answer, but its job is still called \"%s\""
                                .formatted(Words.printable(job.path("state").asString("")))
                        : "its job is called \"%s\", and no process runs it"
                                .formatted(Words.printable(job.path("state").asString(""))),
                file);
        return Optional.of(processes
                .of(session, sight.now())
                .or(this::supervisor)
                .map(pid -> lost.atWork("process %d sees to it".formatted(pid)))
                .orElseGet(() -> sight.unlessJustNow(lost)));
    }

    /** Which starts a job again that has died. */
    private Optional<Long> supervisor() {
        return JsonLines.whole(claude.resolve("daemon.status.json"))
                .filter(status -> Alive.is(
                        status.path("supervisorPid").asLong(0),
                        status.path("supervisorProcStart").asString("")))
                .map(status -> status.path("supervisorPid").asLong());
    }
}
