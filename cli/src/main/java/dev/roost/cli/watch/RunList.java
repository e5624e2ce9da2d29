package dev.roost.cli.watch;

import dev.roost.cli.view.RunUrgency;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** All known runs, filtered and sorted: by urgency, then newest first. */
final class RunList {

    private static final Comparator<RunEntry> ORDER = Comparator.comparing(RunEntry::runUrgency)
            .thenComparing(RunEntry::id, Comparator.reverseOrder()); // ids sort by time

    /** A run with its sort keys, computed once: each change sorts thousands. */
    private record RunEntry(String id, JsonNode run, RunUrgency runUrgency, String owner, boolean active) {
        static RunEntry of(JsonNode run) {
            boolean active = !run.has("ended_at") || run.path("unread").asBoolean();
            return new RunEntry(
                    RunList.id(run), run, RunUrgency.of(run), run.path("owner").asString(), active);
        }
    }

    /** {@code all}: ended and read ones too; {@code words}: text that the run contains. */
    record RunFilter(boolean all, Optional<String> owner, String words) {
        static final RunFilter ACTIVE = new RunFilter(false, Optional.empty(), "");
    }

    private final Map<String, RunEntry> runs = new HashMap<>();
    private final Set<String> opened = new HashSet<>();

    static String id(JsonNode run) {
        return run.path("run_id").asString();
    }

    void replace(Collection<JsonNode> all) {
        runs.clear();
        change(all);
    }

    void change(Collection<JsonNode> changed) {
        changed.forEach(run -> runs.put(id(run), RunEntry.of(run)));
    }

    void remove(Collection<String> ids) {
        ids.forEach(runs::remove);
    }

    /** Keeps an opened run in the list although it is read now. */
    void open(String id) {
        opened.add(id);
    }

    Optional<JsonNode> find(String id) {
        return Optional.ofNullable(runs.get(id)).map(RunEntry::run);
    }

    List<JsonNode> shown(RunFilter choice) {
        var words = choice.words().toLowerCase(Locale.ROOT).strip();
        var shown = new ArrayList<RunEntry>();
        for (var one : runs.values()) {
            if ((choice.all() || one.active() || opened.contains(one.id()))
                    && (choice.owner().isEmpty() || choice.owner().get().equals(one.owner()))
                    && (words.isEmpty() || contains(one.run(), words))) shown.add(one);
        }
        shown.sort(ORDER);
        return shown.stream().map(RunEntry::run).toList();
    }

    private static boolean contains(JsonNode run, String words) {
        for (var field : List.of("run_id", "name", "description", "owner", "agent", "status", "phase", "cause", "cwd"))
            if (run.path(field).asString("").toLowerCase(Locale.ROOT).contains(words)) return true;
        return run.path("question")
                .path("text")
                .asString("")
                .toLowerCase(Locale.ROOT)
                .contains(words);
    }

    /** The owners of the live and unread runs, or of all. */
    List<String> owners(boolean all) {
        return runs.values().stream()
                .filter(one -> all || one.active())
                .map(RunEntry::owner)
                .distinct()
                .sorted()
                .toList();
    }
}
