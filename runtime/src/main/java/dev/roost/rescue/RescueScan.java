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
public record RescueScan(ToolDirectories toolDirectories, List<Path> repositories, Instant since) {

    /**
     * What a search found, oldest first.
     *
     * @param uncommitted how many files are, where something that was lost worked
     * @param problems what could not be looked at, and why
     */
    public record ScanResult(
            List<LostAgent> lost, Map<Path, Integer> uncommitted, List<StrayWorktree> strays, List<String> problems) {

        public ScanResult without(Predicate<LostAgent> known) {
            return new ScanResult(lost.stream().filter(known.negate()).toList(), uncommitted, strays, problems);
        }
    }

    @FunctionalInterface
    private interface ToolScan {
        List<LostAgent> search() throws Exception;
    }

    public ScanResult scan(Instant now) {
        return scan(now, LiveProcesses.scan());
    }

    /** Where nobody can say who is at work, everybody may be. */
    ScanResult scan(Instant now, LiveProcesses liveProcesses) {
        var unanswered = liveProcesses.files().unanswered();
        if (unanswered.isPresent())
            return new ScanResult(
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of("nothing was searched, since who is still at work is not known: %s did not answer"
                            .formatted(unanswered.get())));
        var window = new ScanWindow(now, since, liveProcesses);
        var lost = new ArrayList<LostAgent>();
        var problems = new ArrayList<String>();
        scan("Claude Code", new ClaudeAgents(toolDirectories, window)::search, lost, problems);
        scan("Claude Code's jobs", new ClaudeJobs(toolDirectories, window)::search, lost, problems);
        scan("OpenCode", new OpenCodeSessions(toolDirectories, window)::search, lost, problems);
        scan("Codex", new CodexThreads(toolDirectories, window)::search, lost, problems);
        scan("Gemini CLI", new GeminiChats(toolDirectories, window)::search, lost, problems);
        lost.removeIf(one -> !window.covers(one.lastSign()));
        lost.sort(java.util.Comparator.comparing(LostAgent::lastSign).thenComparing(LostAgent::id));
        var directories = new LinkedHashSet<>(repositories);
        lost.forEach(one -> one.cwd().ifPresent(directories::add));
        return new ScanResult(
                lost,
                uncommitted(lost),
                new StrayWorktrees(window.liveProcesses()).of(directories),
                List.copyOf(problems));
    }

    /** One tool that keeps its things in a way we do not know must not hide what the others lost. */
    private static void scan(String tool, ToolScan place, List<LostAgent> lost, List<String> problems) {
        try {
            lost.addAll(place.search());
        } catch (Exception e) {
            problems.add("%s could not be searched: %s".formatted(tool, e.getMessage()));
        }
    }

    private static Map<Path, Integer> uncommitted(List<LostAgent> lost) {
        var known = new HashMap<Path, Optional<UncommittedFiles>>();
        var counts = new HashMap<Path, Integer>();
        for (var one : lost)
            one.cwd()
                    .ifPresent(cwd -> known.computeIfAbsent(cwd, UncommittedFiles::at)
                            .filter(state -> state.dirty() > 0)
                            .ifPresent(state -> counts.put(cwd, state.dirty())));
        return counts;
    }
}
