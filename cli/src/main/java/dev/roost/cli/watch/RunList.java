package dev.roost.cli.watch;

import dev.roost.cli.view.RunEntry;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** All known runs, filtered and sorted: by urgency, then newest first. */
final class RunList {

    private static final Comparator<RunEntry> ORDER =
            Comparator.comparing(RunEntry::urgency).thenComparing(RunEntry::id, Comparator.reverseOrder()); // by time
    private static final List<String> SEARCHED =
            List.of("run_id", "name", "description", "owner", "agent", "status", "phase", "cause", "cwd");

    /** {@code all}: ended and read ones too; {@code words}: text that the run contains. */
    record RunFilter(boolean all, Optional<String> owner, String words) {
        static final RunFilter ACTIVE = new RunFilter(false, Optional.empty(), "");
    }

    private final Map<String, RunEntry> runs = new HashMap<>();
    private final Set<String> opened = new HashSet<>();

    void replace(Collection<RunEntry> all) {
        runs.clear();
        change(all);
    }

    void change(Collection<RunEntry> changed) {
        changed.forEach(run -> runs.put(run.id(), run));
    }

    void remove(Collection<String> ids) {
        runs.keySet().removeAll(ids);
    }

    /** Keeps an opened run in the list although it is read now. */
    void open(String id) {
        opened.add(id);
    }

    Optional<RunEntry> find(String id) {
        return Optional.ofNullable(runs.get(id));
    }

    List<RunEntry> shown(RunFilter choice) {
        var words = choice.words().toLowerCase(Locale.ROOT).strip();
        return runs.values().stream()
                .filter(run -> choice.all() || isActive(run) || opened.contains(run.id()))
                .filter(run -> choice.owner().map(run.owner()::equals).orElse(true))
                .filter(run -> words.isEmpty() || contains(run, words))
                .sorted(ORDER)
                .toList();
    }

    private static boolean isActive(RunEntry run) {
        return !run.ended() || run.unread();
    }

    private static boolean contains(RunEntry run, String words) {
        return Stream.concat(
                        SEARCHED.stream().map(run::text),
                        Stream.of(run.question().path("text").asString("")))
                .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(words));
    }

    /** The owners of the live and unread runs, or of all. */
    List<String> owners(boolean all) {
        return runs.values().stream()
                .filter(run -> all || isActive(run))
                .map(RunEntry::owner)
                .distinct()
                .sorted()
                .toList();
    }
}
