package dev.roost.rescue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds worktrees of repositories in which no process runs, except Roost's own worktrees. */
final class StrayWorktrees {

    private static final String OURS = "refs/heads/roost/";

    private final LiveProcesses liveProcesses;

    StrayWorktrees(LiveProcesses liveProcesses) {
        this.liveProcesses = liveProcesses;
    }

    /** Searches the repositories to which these directories belong; skips a directory outside a repository. */
    List<StrayWorktree> of(Iterable<Path> directories) {
        var repositories = new LinkedHashMap<Path, Path>();
        for (var directory : directories) {
            if (!Files.isDirectory(directory)) continue;
            new ReadOnlyGit(directory)
                    .ask("rev-parse", "--path-format=absolute", "--git-common-dir")
                    .map(text -> Path.of(text.strip()))
                    .ifPresent(common -> repositories.putIfAbsent(common, directory));
        }
        var found = new ArrayList<StrayWorktree>();
        repositories.values().forEach(directory -> found.addAll(in(directory)));
        return found;
    }

    private List<StrayWorktree> in(Path directory) {
        var listed = new ReadOnlyGit(directory)
                .ask("worktree", "list", "--porcelain", "-z")
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
        var commit = new ReadOnlyGit(path)
                .ask("log", "-1", "--format=%ct%x00%s")
                .map(text -> text.strip().split("\0", 2));
        return UncommittedFiles.at(path)
                .map(state -> new StrayWorktree(
                        main,
                        path,
                        Optional.ofNullable(fields.get("branch")).map(name -> name.replaceFirst("^refs/heads/", "")),
                        fields.getOrDefault("HEAD", ""),
                        commit.map(parts -> parts.length > 1 ? parts[1] : "").orElse(""),
                        commit.map(parts -> Instant.ofEpochSecond(Long.parseLong(parts[0]))),
                        state.changed(),
                        state.untracked(),
                        state.halfway()));
    }
}
