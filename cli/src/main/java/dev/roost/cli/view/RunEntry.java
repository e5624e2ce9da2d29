package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A run as the commands show it.
 *
 * @param json as the daemon describes it; a field that it lacks is unknown
 * @param unread whether its owner has not read its end yet
 */
public record RunEntry(
        JsonNode json, String id, String owner, String status, boolean ended, boolean unread, Urgency urgency) {

    /** How much a run needs the user's attention, most urgent first. */
    public enum Urgency {
        ASKS,
        DIED,
        RUNNING,
        QUEUED,
        REST
    }

    private static final Pattern ONE_WORD = Pattern.compile("[\\p{L}\\p{N}_.,%+/-]+");

    public static RunEntry of(JsonNode json) {
        var status = json.path("status").asString("");
        boolean ended = json.has("ended_at");
        boolean unread = json.path("unread").asBoolean(false);
        var urgency = switch (status) {
            case "failed", "abandoned" -> unread ? Urgency.DIED : Urgency.REST;
            case "running" -> Urgency.RUNNING;
            case "queued" -> Urgency.QUEUED;
            default -> Urgency.REST;
        };
        return new RunEntry(
                json,
                json.path("run_id").asString(""),
                json.path("owner").asString(""),
                status,
                ended,
                unread,
                json.has("question") && !ended ? Urgency.ASKS : urgency);
    }

    /** The runs of a response. */
    public static List<RunEntry> all(JsonNode answer) {
        return answer.path("runs").valueStream().map(RunEntry::of).toList();
    }

    public boolean has(String field) {
        return json.has(field);
    }

    /** The text of a field; empty without it. */
    public String text(String field) {
        return json.path(field).asString("");
    }

    public JsonNode work() {
        return json.path("work");
    }

    public JsonNode question() {
        return json.path("question");
    }

    public boolean asksForPermission() {
        return question().path("kind").asString("").equals("permission");
    }

    public int attempt() {
        return json.path("attempt").asInt(0);
    }

    public String title() {
        return Style.safe(json.path("name").asString(id));
    }

    /** A name of the run that needs no quotes in any shell: its name if possible, else its id. */
    public String word() {
        return isWord(text("name")) ? text("name") : id;
    }

    /** Whether a shell takes {@code name} as one word without expansion. */
    private static boolean isWord(String name) {
        return ONE_WORD.matcher(name).matches();
    }

    /** Its question, else its description. */
    public String describe() {
        return has("question") ? "asks: " + question().path("text").asString() : text("description");
    }

    public static String mark(String status) {
        return switch (status) {
            case "queued" -> "·";
            case "running" -> "▸";
            case "completed" -> "✓";
            case "completed_empty" -> "∅";
            case "canceled_by_user" -> "■";
            default -> "✗";
        };
    }

    /** {@code words} after the mark of the status, in its colour. */
    public String marked(String words) {
        return Style.status(status, mark(status) + " " + words);
    }

    /** Mark and state, and whether it is unread. */
    public String markedState() {
        return marked(state()) + (unread ? " " + Style.bold("(unread)") : "");
    }

    public String state() {
        if (has("parked_until")) return status + " parked until " + Amount.localTime(text("parked_until"));
        var detail = detail();
        return detail.isEmpty() ? status : status + " " + detail;
    }

    /** The part of the state beside the status: phase or cause, if it tells more. */
    String detail() {
        var phase = text("phase");
        if (!phase.isEmpty() && !phase.equals("working")) return phase;
        var cause = text("cause");
        return cause.equals("finished") || cause.equals("stopped") ? "" : cause;
    }

    /** One line about its end. */
    public String end() {
        var line = new StringBuilder(marked(status));
        var cause = text("cause");
        if (!cause.isEmpty() && !cause.equals("finished"))
            line.append(" (").append(cause).append(exit()).append(")");
        var used = used();
        line.append(Style.dim("  " + title() + ", " + took() + (used.isEmpty() ? "" : ", " + used)));
        return line.toString();
    }

    /** Signal or exit status, if the cause is about it; a stopped run's signal is Roost's own. */
    private String exit() {
        var evidence = json.path("evidence");
        return switch (text("cause")) {
            case "signal" ->
                evidence.has("signal") ? " " + evidence.get("signal").asInt() : "";
            case "exit_code" ->
                evidence.has("exit_status") ? " " + evidence.get("exit_status").asInt() : "";
            default -> "";
        };
    }

    /** {@code 12k tokens, $0.34}; empty if unknown. */
    public String used() {
        var usage = json.path("usage");
        long tokens = usage.path("input_tokens").asLong(0)
                + usage.path("output_tokens").asLong(0);
        if (tokens == 0) return "";
        return Amount.count(tokens) + " tokens" + (usage.has("cost_usd") ? ", " + Amount.dollars(cost()) : "");
    }

    public double cost() {
        return json.path("usage").path("cost_usd").asDouble(0);
    }

    public String took() {
        if (!has("started_at")) return "not started";
        var to = ended ? Instant.parse(text("ended_at")) : Instant.now();
        return Amount.span(Duration.between(Instant.parse(text("started_at")), to));
    }

    public String age() {
        return Amount.since(text("created_at"));
    }

    /** How far its code got: {@code committed +2 ~1}: the landing, commits ahead, uncommitted files. Empty if unknown. */
    String landing() {
        var landing = text("landing");
        if (landing.isEmpty()) return "";
        var text = new StringBuilder(landing);
        if (landing.equals("pr_open") && work().has("pull_request"))
            text.append(" #").append(work().path("pull_request").path("number").asInt());
        else if (work().path("ahead").asInt(0) > 0 && !landing.equals("merged"))
            text.append(" +").append(work().get("ahead").asInt());
        if (uncommitted() > 0) text.append(" ~").append(uncommitted());
        if (work().has("mid")) text.append(' ').append(work().get("mid").asString());
        return Style.safe(text.toString());
    }

    public String landingText() {
        if (!has("worktree")) return "(no worktree of its own)";
        if (!work().has("landing_text")) return hasRescueRef() ? "kept, not looked at yet" : "not looked at yet";
        return Style.safe(work().get("landing_text").asString());
    }

    public boolean hasRescueRef() {
        return work().has("rescue_ref");
    }

    private int uncommitted() {
        return work().path("dirty").asInt(0) + work().path("untracked").asInt(0);
    }

    /** Whether an ended run has code that is not merged, pushed or in a pull request. */
    public boolean needsAttention() {
        if (!ended || !hasRescueRef()) return false;
        return switch (text("landing")) {
            case "nothing" -> false;
            case "merged", "pr_open", "pushed" -> uncommitted() > 0;
            default -> true;
        };
    }

    /** The exit code for its status. */
    public int exitCode() {
        return switch (status) {
            case "completed", "completed_empty" -> 0;
            case "canceled_by_user" -> 130;
            case "failed", "abandoned" -> 1;
            default -> 124;
        };
    }
}
