package dev.roost.rescue;

import dev.roost.rescue.ScanWindow.LiveProcesses;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Searches the tool directories of one user, and repositories, for lost work. Changes none of them. */
public record RescueScan(ToolDirectories toolDirectories, List<Path> repositories, Instant since) {

    /**
     * The result of a scan, oldest first.
     *
     * @param uncommitted the number of uncommitted files in each directory of a lost agent
     * @param problems what could not be searched, and why
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

    /** Reports nothing as lost if the running processes are unknown. */
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
        var claude = new ClaudeAgents(toolDirectories, window);
        scan("Claude Code", claude::search, lost, problems);
        scan("Claude Code's jobs", claude::searchJobs, lost, problems);
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

    /** Searches one tool. An unknown file format of this tool must not hide the lost work of others. */
    private static void scan(String tool, ToolScan place, List<LostAgent> lost, List<String> problems) {
        try {
            lost.addAll(place.search());
        } catch (Exception e) {
            problems.add("%s could not be searched: %s".formatted(tool, e.getMessage()));
        }
    }

    private static Map<Path, Integer> uncommitted(List<LostAgent> lost) {
        var counts = new HashMap<Path, Integer>();
        for (var one : lost)
            one.cwd()
                    .ifPresent(cwd -> counts.computeIfAbsent(
                            cwd,
                            _ -> StrayWorktrees.uncommitted(cwd).map(List::size).orElse(0)));
        counts.values().removeIf(count -> count == 0);
        return counts;
    }
}
