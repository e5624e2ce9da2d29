package dev.roost.cli.view;

import dev.roost.cli.client.Style;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Short texts about a run. */
public final class RunSummary {

    private static final Pattern ONE_WORD = Pattern.compile("[\\p{L}\\p{N}_.,%+/-]+");

    private RunSummary() {}

    public static String title(JsonNode run) {
        return Style.safe(run.path("name").asString(run.path("run_id").asString()));
    }

    /** A name of the run that needs no quotes in any shell: its name if possible, else its id. */
    public static String word(JsonNode run) {
        String name = run.path("name").asString("");
        return isWord(name) ? name : run.path("run_id").asString();
    }

    /** Whether a shell takes {@code name} as one word without expansion. */
    public static boolean isWord(String name) {
        return ONE_WORD.matcher(name).matches();
    }

    public static String end(JsonNode run) {
        String status = run.path("status").asString();
        var line = new StringBuilder(Style.status(status, mark(status) + " " + status));
        String cause = run.path("cause").asString("");
        if (!cause.isEmpty() && !cause.equals("finished"))
            line.append(" (").append(cause).append(exit(run)).append(")");
        String used = used(run.path("usage"));
        line.append(Style.dim("  " + title(run) + ", " + took(run) + (used.isEmpty() ? "" : ", " + used)));
        return line.toString();
    }

    /** Signal or exit status, if the cause is about it; a stopped run's signal is Roost's own. */
    private static String exit(JsonNode run) {
        var evidence = run.path("evidence");
        return switch (run.path("cause").asString("")) {
            case "signal" ->
                evidence.has("signal") ? " " + evidence.get("signal").asInt() : "";
            case "exit_code" ->
                evidence.has("exit_status") ? " " + evidence.get("exit_status").asInt() : "";
            default -> "";
        };
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

    public static String state(JsonNode run) {
        String status = run.path("status").asString();
        String phase = run.path("phase").asString("");
        String cause = run.path("cause").asString("");
        if (run.has("parked_until"))
            return status + " parked until " + localTime(run.get("parked_until").asString());
        if (!phase.isEmpty() && !phase.equals("working")) return status + " " + phase;
        if (!cause.isEmpty() && !cause.equals("finished") && !cause.equals("stopped")) return status + " " + cause;
        return status;
    }

    /** {@code 04:10}, with the date unless it is today. */
    public static String localTime(String at) {
        var time = Instant.parse(at).atZone(ZoneId.systemDefault());
        boolean today =
                time.toLocalDate().equals(now().atZone(ZoneId.systemDefault()).toLocalDate());
        return DateTimeFormatter.ofPattern(today ? "HH:mm" : "yyyy-MM-dd HH:mm", Locale.ROOT)
                .format(time);
    }

    /** {@code 12k tokens, $0.34}; empty if unknown. */
    public static String used(JsonNode usage) {
        long tokens = usage.path("input_tokens").asLong(0)
                + usage.path("output_tokens").asLong(0);
        if (tokens == 0) return "";
        return count(tokens) + " tokens"
                + (usage.has("cost_usd") ? ", " + dollars(usage.get("cost_usd").asDouble()) : "");
    }

    /** {@code 1 run}, {@code 2 runs}. */
    public static String some(long n, String what) {
        return "%d %s%s".formatted(n, what, n == 1 ? "" : "s");
    }

    public static String count(long n) {
        if (n < 1000) return Long.toString(n);
        if (n < 999_500) return Math.round(n / 1e3) + "k";
        return String.format(Locale.ROOT, "%.1fM", n / 1e6);
    }

    public static String dollars(double amount) {
        return String.format(Locale.ROOT, amount > 0 && amount < 0.01 ? "$%.4f" : "$%.2f", amount);
    }

    /** The run's question, else its description. */
    public static String describe(JsonNode run) {
        if (run.has("question"))
            return "asks: " + run.get("question").path("text").asString();
        return run.path("description").asString();
    }

    public static String took(JsonNode run) {
        if (!run.has("started_at")) return "not started";
        var from = Instant.parse(run.get("started_at").asString());
        var to = run.has("ended_at") ? Instant.parse(run.get("ended_at").asString()) : now();
        return span(Duration.between(from, to));
    }

    public static String age(JsonNode run) {
        return span(Duration.between(Instant.parse(run.path("created_at").asString()), now()));
    }

    private static Instant now() {
        return Instant.now();
    }

    public static String span(Duration d) {
        if (d.isNegative()) return "0s";
        if (d.toSeconds() < 10) return String.format(Locale.ROOT, "%.1fs", d.toMillis() / 1000.0);
        if (d.toMinutes() < 2) return d.toSeconds() + "s";
        if (d.toHours() < 2) return d.toMinutes() + "m" + d.toSecondsPart() + "s";
        if (d.toDays() < 2) return d.toHours() + "h" + d.toMinutesPart() + "m";
        return d.toDays() + "d";
    }
}
