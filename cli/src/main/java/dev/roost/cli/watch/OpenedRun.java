package dev.roost.cli.watch;

import dev.roost.cli.client.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The one run that is looked at closely: as it was last heard of, and what it says. */
final class OpenedRun {

    private final String id;
    private final OutputPager pager = new OutputPager(Style.COLOUR);
    private JsonNode run;
    private List<String> git = List.of();
    private long cursor = -1;
    private boolean over;

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

    /** How to get its kept work without Roost; empty if nobody knows (yet). */
    List<String> git() {
        return git;
    }

    /** Two connections bring news of it, so the older may come later: an end stays an end. */
    void update(JsonNode news) {
        boolean later = news.path("attempt").asInt() > run.path("attempt").asInt();
        if (!later && run.has("ended_at") && !news.has("ended_at")) return;
        if (news.path("attempt").asInt() < run.path("attempt").asInt()) return;
        run = news;
    }

    void setDetails(JsonNode shown) {
        update(shown);
        var words = new ArrayList<String>();
        shown.path("git").forEach(word -> words.add(word.asString()));
        git = words;
    }

    void appendOutput(JsonNode output, boolean fromTheMiddle) {
        update(output);
        if (fromTheMiddle) pager.markTruncated();
        pager.append(output.path("text").asString(""));
        cursor = output.path("next_cursor").asLong(cursor);
        over = output.has("ended_at") && !output.path("more").asBoolean(false);
        var result = output.path("result").asString("").strip();
        if (over && !result.isEmpty() && !pager.says(result)) pager.append("\n" + result + "\n");
    }

    /** It has ended, all was said, and now it goes on: somebody continued it. */
    Optional<WatchCommand> followIfContinued() {
        if (!over || run.has("ended_at")) return Optional.empty();
        over = false;
        return Optional.of(follow());
    }

    WatchCommand follow() {
        return new WatchCommand.Follow(id, run.path("output_file").asString(), cursor);
    }
}
