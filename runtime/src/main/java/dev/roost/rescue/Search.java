package dev.roost.rescue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Looks through the places of one user, and through repositories. Writes to nothing it looks at. */
public record Search(Places places, List<Path> repositories, Instant since) {

    /**
     * What a search found, oldest first.
     *
     * @param uncommitted how many files are, where something that was lost worked
     * @param problems what could not be looked at, and why
     */
    public record Found(List<Lost> lost, Map<Path, Integer> uncommitted, List<Stray> strays, List<String> problems) {

        public Found without(Predicate<Lost> known) {
            return new Found(lost.stream().filter(known.negate()).toList(), uncommitted, strays, problems);
        }
    }

    @FunctionalInterface
    private interface Place {
        List<Lost> search() throws Exception;
    }

    public Found look(Instant now) {
        return look(now, Alive.look());
    }

    /** Where nobody can say who is at work, everybody may be. */
    Found look(Instant now, Alive alive) {
        var unanswered = alive.files().unanswered();
        if (unanswered.isPresent())
            return new Found(
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of("nothing was searched, since who is still at work is not known: %s did not answer"
                            .formatted(unanswered.get())));
        var sight = new Sight(now, since, alive);
        var lost = new ArrayList<Lost>();
        var problems = new ArrayList<String>();
        look("Claude Code", new ClaudeAgents(places, sight)::search, lost, problems);
        look("Claude Code's jobs", new ClaudeJobs(places, sight)::search, lost, problems);
        look("OpenCode", new OpenCodeSessions(places, sight)::search, lost, problems);
        look("Codex", new CodexThreads(places, sight)::search, lost, problems);
        look("Gemini CLI", new GeminiChats(places, sight)::search, lost, problems);
        lost.removeIf(one -> !sight.covers(one.lastSign()));
        lost.sort(java.util.Comparator.comparing(Lost::lastSign).thenComparing(Lost::id));
        var directories = new LinkedHashSet<>(repositories);
        lost.forEach(one -> one.cwd().ifPresent(directories::add));
        return new Found(
                lost, uncommitted(lost), new StrayWorktrees(sight.alive()).of(directories), List.copyOf(problems));
    }

    /** One tool that keeps its things in a way we do not know must not hide what the others lost. */
    private static void look(String tool, Place place, List<Lost> lost, List<String> problems) {
        try {
            lost.addAll(place.search());
        } catch (Exception e) {
            problems.add("%s could not be searched: %s".formatted(tool, e.getMessage()));
        }
    }

    private static Map<Path, Integer> uncommitted(List<Lost> lost) {
        var known = new HashMap<Path, Optional<Checkout>>();
        var counts = new HashMap<Path, Integer>();
        for (var one : lost)
            one.cwd()
                    .ifPresent(cwd -> known.computeIfAbsent(cwd, Checkout::at)
                            .filter(state -> state.dirty() > 0)
                            .ifPresent(state -> counts.put(cwd, state.dirty())));
        return counts;
    }
}
