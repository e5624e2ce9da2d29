package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import tools.jackson.databind.JsonNode;

/** How far a run's code got, for people. */
public final class LandingColumn {

    private LandingColumn() {}

    /** {@code committed +2 ~1}: the landing, commits ahead, uncommitted files. Empty if unknown. */
    static String brief(JsonNode run) {
        var landing = run.path("landing").asString("");
        if (landing.isEmpty()) return "";
        var work = run.path("work");
        var text = new StringBuilder(landing);
        if (landing.equals("pr_open") && work.has("pull_request"))
            text.append(" #").append(work.path("pull_request").path("number").asInt());
        else if (work.path("ahead").asInt(0) > 0 && !landing.equals("merged"))
            text.append(" +").append(work.get("ahead").asInt());
        if (uncommitted(run) > 0) text.append(" ~").append(uncommitted(run));
        if (work.has("mid")) text.append(' ').append(work.get("mid").asString());
        return Style.safe(text.toString());
    }

    public static String words(JsonNode run) {
        if (!run.has("worktree")) return "(no worktree of its own)";
        var work = run.path("work");
        if (!work.has("landing_text")) return work.has("rescue_ref") ? "kept, not looked at yet" : "not looked at yet";
        var text = work.get("landing_text").asString();
        return Style.safe(text);
    }

    static int uncommitted(JsonNode run) {
        return run.path("work").path("dirty").asInt(0)
                + run.path("work").path("untracked").asInt(0);
    }

    /** Whether an ended run has code that is not merged, pushed or in a pull request. */
    public static boolean needsAttention(JsonNode run) {
        if (!run.has("ended_at") || !run.path("work").has("rescue_ref")) return false;
        return switch (run.path("landing").asString("")) {
            case "nothing" -> false;
            case "merged", "pr_open", "pushed" -> uncommitted(run) > 0;
            default -> true;
        };
    }
}
