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
import java.util.regex.Pattern;

/** What git keeps about one worktree, apart from it: its HEAD, index, log, and whatever it is in the middle of. */
public record WorktreeGitDir(Path dir) {

    public static final String OWN_INDEX = "roost-index-";

    private static final Pattern OID = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
    private static final int MOST_LOG_LINES = 20_000;

    /** Files that name a commit which may be known nowhere else. */
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

    /** What says where the worktree is, or is somebody's for a moment only. */
    private static final Set<String> NOT_STATE =
            Set.of("gitdir", "commondir", "locked", "index", "modules", "logs", "HEAD", "refs", "FETCH_HEAD");

    /** The one that the directory points to, if that is whole and of this repository. */
    public static Optional<WorktreeGitDir> of(Path path, Path common) {
        var pointer = path.resolve(".git");
        if (Files.isSymbolicLink(path)) return Optional.empty(); // what is behind it is somebody else's
        if (!Files.isRegularFile(pointer, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
        var text = read(pointer).orElse("");
        if (!text.startsWith("gitdir: ")) return Optional.empty();
        var dir = path.resolve(text.substring("gitdir: ".length()).strip()).normalize();
        var isHere = isSame(dir.resolveSibling("."), common.resolve("worktrees"));
        return isHere && Files.exists(dir.resolve("HEAD")) ? Optional.of(new WorktreeGitDir(dir)) : Optional.empty();
    }

    /** The one that points to the directory, whether that is there or not. */
    public static Optional<WorktreeGitDir> pointingTo(Path path, Path common) {
        return allPointingTo(path, common).stream().findFirst();
    }

    /** More than one where git was killed over and over. */
    public static List<WorktreeGitDir> allPointingTo(Path path, Path common) {
        if (!Files.isDirectory(common.resolve("worktrees"))) return List.of();
        try (var all = Files.list(common.resolve("worktrees"))) {
            return all.map(WorktreeGitDir::new)
                    .filter(gitDir -> gitDir.pointsTo(path))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those that git had begun, locked for {@code reason}, when it was killed: they point nowhere, and git never lets go of them. */
    public static List<WorktreeGitDir> begunFor(String reason, Path common) throws IOException {
        if (!Files.isDirectory(common.resolve("worktrees"))) return List.of();
        try (var all = Files.list(common.resolve("worktrees"))) {
            return all.map(WorktreeGitDir::new)
                    .filter(gitDir -> !gitDir.has("gitdir"))
                    .filter(gitDir -> read(gitDir.dir().resolve("locked"))
                            .map(String::strip)
                            .equals(Optional.of(reason)))
                    .toList();
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

    /** The git directory of the repository, of which this one is a part. */
    public Path common() {
        return dir.resolve("../..").normalize();
    }

    public boolean isWhole() {
        return Files.exists(dir.resolve("HEAD")) && Files.exists(dir.resolve("commondir"));
    }

    /** The full name of the branch that HEAD is on. */
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

    /** Where the branch was before the rebase that is going on. */
    public Optional<String> beforeRebase() {
        return read(dir.resolve("rebase-merge/orig-head"))
                .or(() -> read(dir.resolve("rebase-apply/orig-head")))
                .map(String::strip)
                .filter(oid -> OID.matcher(oid).matches());
    }

    /** Commits that only this worktree may know. */
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

    /** The files of what it is in the middle of, the index not among them. */
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
