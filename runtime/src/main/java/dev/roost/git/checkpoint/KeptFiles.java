package dev.roost.git.checkpoint;

import dev.roost.git.GitPath;
import dev.roost.git.SafeMove;
import dev.roost.git.SafeMove.ConflictPolicy;
import dev.roost.git.WorktreeGitDir;
import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;

/** The files of a removed worktree that no commit holds, in {@code files/}, and its git files, in {@code git/}. */
public record KeptFiles(Path root) {

    private static final Set<String> NOT_KEPT = Set.of("gitdir", "commondir", "locked");

    /** The directory of the run in {@code kept}; also accepts that directory itself. */
    public static KeptFiles of(Path kept, RunId run) {
        return new KeptFiles(kept.endsWith(run.text()) ? kept : kept.resolve(run.text()));
    }

    Path files() {
        return root.resolve("files");
    }

    Path git() {
        return root.resolve("git");
    }

    /** The file with the checkpoint to which these files belong. */
    private Path marker() {
        return root.resolve("checkpoint");
    }

    public boolean belongsTo(String commit) throws IOException {
        return Files.exists(marker()) && Files.readString(marker()).strip().equals(commit);
    }

    public void belongTo(String commit) throws IOException {
        Files.createDirectories(root);
        var fresh = root.resolve("checkpoint.new");
        Files.writeString(fresh, commit + "\n");
        Files.move(fresh, marker(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Moves a file out of a worktree. Renames a file of the same name from an earlier removal. */
    public void moveIn(Path worktree, GitPath path) throws IOException {
        var from = path.in(worktree);
        var to = path.in(files());
        if (!SafeMove.exists(from)) return;
        SafeMove.move(from, to, ConflictPolicy.LEAVE);
        if (!SafeMove.exists(from)) return;
        for (int n = 1; SafeMove.exists(from); n++) {
            var older = path.in(root.resolve("older-" + n));
            if (SafeMove.exists(older)) continue;
            Files.createDirectories(older.getParent());
            Files.move(to, older, StandardCopyOption.ATOMIC_MOVE);
            SafeMove.move(from, to, ConflictPolicy.LEAVE);
        }
    }

    public void restore(Path to, boolean move, ConflictPolicy clash) throws IOException {
        if (!Files.isDirectory(files())) return;
        for (var child : SafeMove.children(files())) {
            var place = to.resolve(child.getFileName());
            if (move) SafeMove.move(child, place, clash);
            else copyMerged(child, place, clash);
        }
        if (move) SafeMove.deleteIfEmpty(files());
    }

    private static void copyMerged(Path from, Path to, ConflictPolicy clash) throws IOException {
        boolean directory = Files.isDirectory(from, java.nio.file.LinkOption.NOFOLLOW_LINKS);
        if (directory && Files.isDirectory(to, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            for (var child : SafeMove.children(from)) copyMerged(child, to.resolve(child.getFileName()), clash);
            return;
        }
        if (SafeMove.exists(to) && clash == ConflictPolicy.REPLACE && !directory) SafeMove.delete(to);
        SafeMove.copy(from, to);
    }

    public void takeGit(WorktreeGitDir gitDir) throws IOException {
        SafeMove.delete(git());
        Files.createDirectories(git());
        for (var child : SafeMove.children(gitDir.dir())) {
            var name = child.getFileName().toString();
            boolean passing = name.endsWith(".lock") || name.startsWith(WorktreeGitDir.OWN_INDEX);
            if (!passing && !NOT_KEPT.contains(name) && !name.equals("modules"))
                SafeMove.copy(child, git().resolve(name));
        }
    }

    public void takeModules(WorktreeGitDir gitDir) throws IOException {
        SafeMove.move(gitDir.dir().resolve("modules"), git().resolve("modules"), ConflictPolicy.LEAVE);
    }

    /** Restores git's files without HEAD, which the caller sets. */
    void restoreGit(WorktreeGitDir gitDir, boolean withModules) throws IOException {
        if (!Files.isDirectory(git())) return;
        for (var child : SafeMove.children(git())) {
            var name = child.getFileName().toString();
            var place = gitDir.dir().resolve(name);
            if (name.equals("HEAD")) continue;
            if (name.equals("modules")) {
                if (withModules) SafeMove.move(child, place, ConflictPolicy.LEAVE);
            } else {
                copyMerged(child, place, ConflictPolicy.REPLACE);
            }
        }
    }

    /** Deletes what is no longer needed after a restore. Keeps files that could not be restored. */
    public void close() throws IOException {
        if (!SafeMove.exists(git().resolve("modules"))) SafeMove.delete(git());
        Files.deleteIfExists(marker());
        SafeMove.deleteIfEmpty(root);
    }
}
