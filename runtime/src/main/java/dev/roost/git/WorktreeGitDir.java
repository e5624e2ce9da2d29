package dev.roost.git;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Git's own directory of one worktree: its HEAD, index, log, and the state of an unfinished operation. */
public record WorktreeGitDir(Path dir) {

    public static final String OWN_INDEX = "roost-index-";

    private static final Pattern OID = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
    private static final int MOST_LOG_LINES = 20_000;

    /** Files with the id of a commit that no ref may lead to. */
    private static final List<String> HEADS = List.of(
            "ORIG_HEAD",
            "MERGE_HEAD",
            "MERGE_AUTOSTASH",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "REBASE_HEAD",
            "BISECT_EXPECTED_REV",
            "rebase-merge/onto",
            "rebase-merge/orig-head",
            "rebase-merge/stopped-sha",
            "rebase-merge/autostash",
            "rebase-apply/onto",
            "rebase-apply/orig-head",
            "rebase-apply/abort-safety",
            "rebase-apply/autostash",
            "sequencer/head",
            "sequencer/abort-safety");

    /** Files with the worktree's location, and short-lived files of other processes. */
    private static final Set<String> NOT_STATE =
            Set.of("gitdir", "commondir", "locked", "index", "modules", "logs", "HEAD", "refs", "FETCH_HEAD");

    /** The git directory to which the worktree's .git file points, if it is valid and belongs to this repository. */
    public static Optional<WorktreeGitDir> of(Path path, Path common) {
        var pointer = path.resolve(".git");
        if (Files.isSymbolicLink(path)) return Optional.empty(); // the target of the link may belong to something else
        if (!Files.isRegularFile(pointer, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
        var text = read(pointer).orElse("");
        if (!text.startsWith("gitdir: ")) return Optional.empty();
        var dir = path.resolve(text.substring("gitdir: ".length()).strip()).normalize();
        var isHere = isSame(dir.resolveSibling("."), common.resolve("worktrees"));
        return isHere && Files.exists(dir.resolve("HEAD")) ? Optional.of(new WorktreeGitDir(dir)) : Optional.empty();
    }

    /** The git directory that points to the path, even if the path does not exist. */
    public static Optional<WorktreeGitDir> pointingTo(Path path, Path common) {
        return allPointingTo(path, common).stream().findFirst();
    }

    /** All git directories that point to the path; more than one if git was killed repeatedly. */
    public static List<WorktreeGitDir> allPointingTo(Path path, Path common) {
        try {
            return all(common, gitDir -> gitDir.pointsTo(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Incomplete git directories, locked with {@code reason}, that a killed git left. Git itself never deletes them. */
    public static List<WorktreeGitDir> begunFor(String reason, Path common) throws IOException {
        return all(
                common,
                gitDir -> !gitDir.has("gitdir")
                        && read(gitDir.dir().resolve("locked"))
                                .map(String::strip)
                                .equals(Optional.of(reason)));
    }

    private static List<WorktreeGitDir> all(Path common, Predicate<WorktreeGitDir> condition) throws IOException {
        if (!Files.isDirectory(common.resolve("worktrees"))) return List.of();
        try (var all = Files.list(common.resolve("worktrees"))) {
            return all.map(WorktreeGitDir::new).filter(condition).toList();
        }
    }

    public boolean pointsTo(Path path) {
        var pointer = read(dir.resolve("gitdir")).map(String::strip).orElse("");
        if (pointer.isEmpty()) return false;
        var place = dir.resolve(pointer).normalize().getParent();
        return place != null && (place.equals(path.toAbsolutePath().normalize()) || isSame(place, path));
    }

    public void pointTo(Path path) throws IOException {
        var fresh = dir.resolve("gitdir.roost");
        Files.writeString(fresh, path.toAbsolutePath().resolve(".git") + "\n");
        Files.move(fresh, dir.resolve("gitdir"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    public Path index() {
        return dir.resolve("index");
    }

    /** The git directory of the repository that contains this one. */
    public Path common() {
        return dir.resolve("../..").normalize();
    }

    public boolean isWhole() {
        return Files.exists(dir.resolve("HEAD")) && Files.exists(dir.resolve("commondir"));
    }

    /** The full name of HEAD's branch. */
    public Optional<String> branch() {
        return read(dir.resolve("HEAD"))
                .map(String::strip)
                .filter(head -> head.startsWith("ref: "))
                .map(head -> head.substring("ref: ".length()));
    }

    public Optional<GitOperation> operation() {
        if (has("rebase-merge") || has("rebase-apply")) return Optional.of(GitOperation.REBASE);
        if (has("MERGE_HEAD")) return Optional.of(GitOperation.MERGE);
        if (has("CHERRY_PICK_HEAD")) return Optional.of(GitOperation.CHERRY_PICK);
        if (has("REVERT_HEAD")) return Optional.of(GitOperation.REVERT);
        if (has("sequencer/todo")) {
            var todo = read(dir.resolve("sequencer/todo")).orElse("");
            return Optional.of(todo.startsWith("revert") ? GitOperation.REVERT : GitOperation.CHERRY_PICK);
        }
        return has("BISECT_LOG") ? Optional.of(GitOperation.BISECT) : Optional.empty();
    }

    /** The commit of the branch before the rebase in progress. */
    public Optional<String> beforeRebase() {
        return read(dir.resolve("rebase-merge/orig-head"))
                .or(() -> read(dir.resolve("rebase-apply/orig-head")))
                .map(String::strip)
                .filter(oid -> OID.matcher(oid).matches());
    }

    /** Commits that may be recorded only in this worktree. */
    public Set<String> commits() {
        var found = new LinkedHashSet<String>();
        for (var name : HEADS) {
            for (var line : GitReply.pieces(read(dir.resolve(name)).orElse(""), '\n')) {
                if (OID.matcher(line.strip()).matches()) found.add(line.strip());
            }
        }
        var log = GitReply.pieces(read(dir.resolve("logs/HEAD")).orElse(""), '\n');
        for (var line : log.subList(Math.max(0, log.size() - MOST_LOG_LINES), log.size())) {
            int first = line.indexOf(' ');
            int second = line.indexOf(' ', first + 1);
            if (second < 0) continue;
            add(found, line.substring(0, first));
            add(found, line.substring(first + 1, second));
        }
        return found;
    }

    private static void add(Set<String> found, String oid) {
        if (OID.matcher(oid).matches() && !oid.chars().allMatch(c -> c == '0')) found.add(oid);
    }

    /** The files of an unfinished operation, without the index. */
    public List<Path> state() throws IOException {
        var files = new ArrayList<Path>();
        try (var all = Files.walk(dir)) {
            all.filter(Files::isRegularFile).forEach(file -> {
                var name = dir.relativize(file).getName(0).toString();
                var isLock = file.toString().endsWith(".lock");
                if (!NOT_STATE.contains(name) && !isLock && !isOwn(name)) files.add(file);
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        files.sort(null);
        return files;
    }

    static boolean isOwn(String name) {
        return name.startsWith(OWN_INDEX) || name.startsWith("sharedindex.") || name.endsWith(".roost");
    }

    private boolean has(String name) {
        return Files.exists(dir.resolve(name));
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
        } catch (IOException e) {
            return false;
        }
    }

    private static Optional<String> read(Path file) {
        try {
            return Files.isRegularFile(file)
                    ? Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
