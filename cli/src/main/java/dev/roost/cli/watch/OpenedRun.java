package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The run that is open in the view: its latest state and its output. */
final class OpenedRun {

    final String id;
    final OutputPager pager = new OutputPager(Style.COLOUR);

    private RunEntry run;
    private List<String> git = List.of();
    private long cursor = -1;
    private boolean finished;

    OpenedRun(RunEntry run) {
        this.id = run.id();
        this.run = run;
    }

    RunEntry run() {
        return run;
    }

    /** The git command that restores its checkpoint without Roost; empty if unknown. */
    List<String> git() {
        return git;
    }

    /** Ignores stale updates: two connections deliver updates, possibly out of order. */
    void update(RunEntry newer) {
        if (newer.attempt() < run.attempt()) return;
        if (newer.attempt() == run.attempt() && run.ended() && !newer.ended()) return;
        run = newer;
    }

    void setDetails(RunEntry details) {
        update(details);
        git = details.json().path("git").valueStream().map(JsonNode::asString).toList();
    }

    void appendOutput(RunEntry output, boolean truncated) {
        update(output);
        if (truncated) pager.markTruncated();
        pager.append(output.text("text"));
        cursor = output.json().path("next_cursor").asLong(cursor);
        finished = output.ended() && !output.json().path("more").asBoolean(false);
        var result = output.text("result").strip();
        if (finished && !result.isEmpty() && !pager.contains(result)) pager.append("\n" + result + "\n");
    }

    /** Follows the output again if the run was continued after its end. */
    Optional<WatchCommand> followIfContinued() {
        if (!finished || run.ended()) return Optional.empty();
        finished = false;
        return Optional.of(follow());
    }

    WatchCommand follow() {
        return new WatchCommand.Follow(id, run.text("output_file"), cursor);
    }
}
