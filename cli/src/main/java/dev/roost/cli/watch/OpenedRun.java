package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The run that is open in the view: its latest state and its output. */
final class OpenedRun {

    private final String id;
    private final OutputPager pager = new OutputPager(Style.COLOUR);
    private JsonNode run;
    private List<String> git = List.of();
    private long cursor = -1;
    private boolean finished;

    OpenedRun(JsonNode run) {
        this.id = RunList.id(run);
        this.run = run;
    }

    String id() {
        return id;
    }

    JsonNode run() {
        return run;
    }

    OutputPager pager() {
        return pager;
    }

    /** The git command that restores its checkpoint without Roost; empty if unknown. */
    List<String> git() {
        return git;
    }

    /** Ignores stale updates: two connections deliver updates, possibly out of order. */
    void update(JsonNode newer) {
        boolean later = newer.path("attempt").asInt() > run.path("attempt").asInt();
        if (!later && run.has("ended_at") && !newer.has("ended_at")) return;
        if (newer.path("attempt").asInt() < run.path("attempt").asInt()) return;
        run = newer;
    }

    void setDetails(JsonNode details) {
        update(details);
        var words = new ArrayList<String>();
        details.path("git").forEach(word -> words.add(word.asString()));
        git = words;
    }

    void appendOutput(JsonNode output, boolean truncated) {
        update(output);
        if (truncated) pager.markTruncated();
        pager.append(output.path("text").asString(""));
        cursor = output.path("next_cursor").asLong(cursor);
        finished = output.has("ended_at") && !output.path("more").asBoolean(false);
        var result = output.path("result").asString("").strip();
        if (finished && !result.isEmpty() && !pager.contains(result)) pager.append("\n" + result + "\n");
    }

    /** Follows the output again if the run was continued after its end. */
    Optional<WatchCommand> followIfContinued() {
        if (!finished || run.has("ended_at")) return Optional.empty();
        finished = false;
        return Optional.of(follow());
    }

    WatchCommand follow() {
        return new WatchCommand.Follow(id, run.path("output_file").asString(), cursor);
    }
}
