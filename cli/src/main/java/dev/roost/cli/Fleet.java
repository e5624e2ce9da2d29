package dev.roost.cli;

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

/** The runs that are known, and which of them are looked at: what needs a person first, then the newest. */
final class Fleet {

    private static final Comparator<JsonNode> ORDER = Comparator.<JsonNode, Urgency>comparing(Urgency::of)
            .thenComparing(Fleet::id, Comparator.reverseOrder()); // ids are sortable by time

    /** Which ones are looked at: ended and read ones too, of one owner, with these words in them. */
    record Choice(boolean all, Optional<String> owner, String words) {
        static final Choice ACTIVE = new Choice(false, Optional.empty(), "");
    }

    private final Map<String, JsonNode> runs = new HashMap<>();
    private final Set<String> opened = new HashSet<>();

    static String id(JsonNode run) {
        return run.path("run_id").asString();
    }

    /** These are all there are. */
    void replace(Collection<JsonNode> all) {
        runs.clear();
        change(all);
    }

    void change(Collection<JsonNode> changed) {
        changed.forEach(run -> runs.put(id(run), run));
    }

    void remove(Collection<String> ids) {
        ids.forEach(runs::remove);
    }

    /** One that was opened here does not vanish because it is now read. */
    void open(String id) {
        opened.add(id);
    }

    Optional<JsonNode> find(String id) {
        return Optional.ofNullable(runs.get(id));
    }

    List<JsonNode> shown(Choice choice) {
        var words = choice.words().toLowerCase(Locale.ROOT).strip();
        var shown = new ArrayList<JsonNode>();
        for (var run : runs.values()) {
            if ((choice.all() || isActive(run) || opened.contains(id(run)))
                    && choice.owner().map(run.path("owner").asString()::equals).orElse(true)
                    && (words.isEmpty() || says(run, words))) shown.add(run);
        }
        shown.sort(ORDER);
        return shown;
    }

    private static boolean isActive(JsonNode run) {
        return !run.has("ended_at") || run.path("unread").asBoolean();
    }

    private static boolean says(JsonNode run, String words) {
        for (var field : List.of("run_id", "name", "description", "owner", "agent", "status", "phase", "cause", "cwd"))
            if (run.path(field).asString("").toLowerCase(Locale.ROOT).contains(words)) return true;
        return run.path("question")
                .path("text")
                .asString("")
                .toLowerCase(Locale.ROOT)
                .contains(words);
    }

    /** Of those that are live or unread, or of all. */
    List<String> owners(boolean all) {
        return runs.values().stream()
                .filter(run -> all || isActive(run))
                .map(run -> run.path("owner").asString())
                .distinct()
                .sorted()
                .toList();
    }
}
