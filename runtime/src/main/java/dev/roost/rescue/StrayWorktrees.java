package dev.roost.rescue;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import dev.roost.git.StatusEntry;
import dev.roost.git.WorktreeGitDir;
import dev.roost.rescue.ScanWindow.LiveProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Finds worktrees of repositories in which no process runs, except Roost's own worktrees. Git writes nothing there. */
record StrayWorktrees(LiveProcesses liveProcesses) {

    private static final String OURS = "refs/heads/roost/";
    /** The checkout may be on a disk that does not respond. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /** Empty if git failed. */
    private static Optional<GitReply> ask(Path directory, String... words) {
        var git = new Git(directory, System.getenv()).within(DEADLINE);
        return git.find("git").map(_ -> git.ask(words)).filter(GitReply::ok);
    }

    /** Searches the repositories to which these directories belong; skips a directory outside a repository. */
    List<StrayWorktree> of(Iterable<Path> directories) {
        var repositories = new LinkedHashMap<Path, Path>();
        for (var directory : directories) {
            if (!Files.isDirectory(directory)) continue;
            ask(directory, "rev-parse", "--path-format=absolute", "--git-common-dir")
                    .ifPresent(reply -> repositories.putIfAbsent(Path.of(reply.line()), directory));
        }
        var found = new ArrayList<StrayWorktree>();
        repositories.values().forEach(directory -> found.addAll(in(directory)));
        return found;
    }

    private List<StrayWorktree> in(Path directory) {
        var listed = ask(directory, "worktree", "list", "--porcelain", "-z")
                .map(GitReply::line)
                .orElse("");
        var found = new ArrayList<StrayWorktree>();
        Optional<Path> main = Optional.empty();
        for (var block : listed.split("\0\0", -1)) {
            var fields = fields(block);
            if (!fields.containsKey("worktree")) continue;
            var path = Path.of(fields.get("worktree"));
            if (main.isEmpty()) main = Optional.of(path); // git lists the main checkout first; it is never stray
            else if (!fields.getOrDefault("branch", "").startsWith(OURS)
                    && Files.isDirectory(path)
                    && liveProcesses.findInDirectory(path).isEmpty())
                stray(main.get(), path, fields).ifPresent(found::add);
        }
        return found;
    }

    private static Map<String, String> fields(String block) {
        var fields = new LinkedHashMap<String, String>();
        for (var line : block.split("\0", -1)) {
            int space = line.indexOf(' ');
            fields.put(space < 0 ? line : line.substring(0, space), space < 0 ? "" : line.substring(space + 1));
        }
        return fields;
    }

    private static Optional<StrayWorktree> stray(Path main, Path path, Map<String, String> fields) {
        var commit = ask(path, "log", "-1", "--format=%ct%x00%s")
                .map(reply -> reply.line().split("\0", 2));
        return uncommitted(path)
                .map(files -> new StrayWorktree(
                        main,
                        path,
                        Optional.ofNullable(fields.get("branch")).map(name -> name.replaceFirst("^refs/heads/", "")),
                        fields.getOrDefault("HEAD", ""),
                        commit.map(parts -> parts.length > 1 ? parts[1] : "").orElse(""),
                        commit.map(parts -> Instant.ofEpochSecond(Long.parseLong(parts[0]))),
                        paths(files, true),
                        paths(files, false),
                        operation(path)));
    }

    /** The uncommitted files; empty if the directory is not in a checkout. */
    static Optional<List<StatusEntry>> uncommitted(Path directory) {
        return ask(directory, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
                .map(StatusEntry::of);
    }

    private static List<String> paths(List<StatusEntry> files, boolean tracked) {
        return files.stream()
                .filter(file -> file.isTracked() == tracked)
                .map(file -> file.path().text())
                .toList();
    }

    private static Optional<String> operation(Path path) {
        return ask(path, "rev-parse", "--git-dir")
                .flatMap(reply -> new WorktreeGitDir(path.resolve(reply.line())).operation())
                .map(operation -> operation.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
}
