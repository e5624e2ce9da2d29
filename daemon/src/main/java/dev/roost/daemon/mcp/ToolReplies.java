package dev.roost.daemon.mcp;

import dev.roost.base.TextFormat;
import dev.roost.daemon.api.PathMap;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.api.RunListPage;
import dev.roost.daemon.api.RunOperations;
import dev.roost.daemon.mcp.ToolOperations.ToolResult;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import dev.roost.sessions.NoticeDigest;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Writes answers for models, as text and as fields. A model pays for each token, so answers contain only what it needs. */
final class ToolReplies {

    private static final int LONGEST_TEXT = 30_000;
    private static final List<String> NOT_FOR_MODELS =
            List.of("owner", "driver", "pid", "on_loss", "parent", "attempts", "timeline", "notices");

    private final RoostService service;
    private final RunJson json;

    ToolReplies(RoostService service) {
        this.service = service;
        this.json = new RunJson(service);
    }

    ObjectNode run(RunRecord run, PathMap paths) {
        return withoutInternals(json.run(run), paths);
    }

    private ObjectNode withoutInternals(ObjectNode run, PathMap paths) {
        run.remove(NOT_FOR_MODELS);
        if (run.path("cause").asString("").equals("finished")) run.remove("evidence");
        paths.translate(run);
        return run;
    }

    String started(RunRecord run, PathMap paths) {
        if (run.status().ended()) {
            return "%s Read it: agent_output {\"run_id\": \"%s\"}.".formatted(status(run, run.latest()), run.id());
        }
        var file = paths.inside(service.outputFile(run));
        return """
                %s is %s in the background with the agent %s. You will be told when it ends; there is no need to wait.
                To look at it meanwhile: agent_output {"run_id": "%s"}. What it says also grows in %s.%s%s""".formatted(title(run), run.status().word(), run.agent(), run.id(), file, worktree(run), waits(run));
    }

    private static String worktree(RunRecord run) {
        if (run.work().isEmpty()) return "";
        return " It works in a git worktree of its own, on the branch roost/%s: what it changes is not in this checkout until that is merged."
                .formatted(run.id());
    }

    private static String title(RunRecord run) {
        return run.name()
                .map(name -> "%s (%s)".formatted(run.id(), TextFormat.printable(name)))
                .orElse(run.id().text());
    }

    /** The progress message for a waiting client: the last line of the output. */
    String progress(OutputPage output) {
        var lines = output.text().lines().filter(line -> !line.isBlank()).toList();
        return lines.isEmpty()
                ? "%s is %s"
                        .formatted(
                                title(output.run()), output.attempt().status().word())
                : TextFormat.printable(lines.getLast());
    }

    ToolResult output(OutputPage output, PathMap paths) {
        var fields = withoutInternals(json.output(output), paths);
        var file = fields.path("output_file").asString();
        boolean ended = output.attempt().status().ended();
        fields.remove("text");
        var message = status(output.run(), output.attempt());
        if (!ended && output.timedOut()) {
            message +=
                    (" It goes on; the wait of %d s is over. Call agent_output {\"run_id\": \"%s\", \"block\": true} again,"
                                    + " or do something else: you will be told when it ends.")
                            .formatted(
                                    output.waited()
                                            .map(time -> time.toSeconds())
                                            .orElse(0L),
                                    output.run().id());
        }
        if (!ended) message += " To read on: cursor %d.".formatted(output.nextCursor());
        fields.put("message", message);
        var content = output.result().isPresent() ? output.result().get() : output.text();
        if (content.isBlank()) return new ToolResult(fields, message);
        var shown = cut(content, file);
        fields.put(output.result().isPresent() ? "result" : "text", shown);
        var heading =
                output.result().isPresent() ? "" : ended ? "It left no result. What it said:\n\n" : "It has said:\n\n";
        return new ToolResult(fields, message + "\n\n" + heading, shown, () -> {});
    }

    /** Cuts the middle out of a long text, since its beginning and its end matter most. */
    private static String cut(String text, String file) {
        if (text.length() <= LONGEST_TEXT) return text;
        int half = LONGEST_TEXT / 2;
        return "%s\n\n[… %,d characters are left out here; all of it is in %s …]\n\n%s"
                .formatted(
                        text.substring(0, half), text.length() - 2 * half, file, text.substring(text.length() - half));
    }

    private static String status(RunRecord run, AttemptRecord attempt) {
        var text = new StringBuilder(
                "%s: %s".formatted(title(run), attempt.status().word()));
        attempt.phase()
                .ifPresent(phase -> text.append(" (").append(phase.word()).append(')'));
        attempt.cause().filter(cause -> cause != Cause.FINISHED).ifPresent(cause -> {
            text.append(", ").append(cause.inWords());
            attempt.evidence()
                    .flatMap(evidence -> evidence.exit())
                    .map(Exit::inWords)
                    .ifPresent(exit -> text.append(" (").append(exit).append(')'));
        });
        attempt.took().ifPresent(time -> text.append(" after ").append(TextFormat.span(time)));
        if (!attempt.usage().inWords().isEmpty())
            text.append(", ").append(attempt.usage().inWords());
        if (attempt.unread()) text.append(" (unread)");
        run.work()
                .filter(_ -> attempt.status().ended())
                .ifPresent(work -> text.append("; code: ").append(NoticeDigest.code(work)));
        run.sessionId().ifPresent(id -> text.append("; session_id ").append(TextFormat.printable(id)));
        attempt.asked()
                .ifPresent(asked -> text.append(". It asks: \"%s\""
                        .formatted(TextFormat.printable(asked.question().text()))));
        return text.append('.').toString();
    }

    ToolResult list(RunListPage page, PathMap paths) {
        var runs = page.runs();
        var fields = RunJson.MAPPER.createObjectNode();
        var list = fields.putArray("runs");
        for (var run : runs) list.add(run(run, paths));
        page.nextCursor().ifPresent(cursor -> fields.put("next_cursor", cursor));
        String text = runs.isEmpty()
                ? "There are no such runs."
                : runs.stream()
                        .map(run ->
                                "- %s %s".formatted(status(run, run.latest()), TextFormat.printable(run.description())))
                        .collect(Collectors.joining("\n"));
        return new ToolResult(
                fields, text + (page.nextCursor().isPresent() ? "\nThere are more: pass next_cursor as cursor." : ""));
    }

    /** The reason why the run waits, as a sentence that follows another. */
    private String waits(RunRecord run) {
        var why = service.waitReasons(List.of(run)).get(run.id());
        return why == null ? "" : " It waits: %s.".formatted(why);
    }

    String stopped(RunOperations.RunChange change) {
        var run = change.run();
        if (!run.status().ended()) return "It will be stopped." + waits(run);
        return (change.before().status().ended() ? "It had ended before: %s" : "All its processes are gone. %s")
                .formatted(status(run, run.latest()));
    }

    String sent(RunOperations.RunChange change) {
        var run = change.run();
        return change.before().status().ended()
                ? "It goes on with that as attempt %d. You will be told when it ends. %s"
                        .formatted(run.latest().n(), status(run, run.latest()))
                : "It has been told. %s%s".formatted(status(run, run.latest()), waits(run));
    }
}
