package dev.roost.worktrees;

import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;

/** What a removed worktree had and no commit holds: {@code files/}, and git's own files about it in {@code git/}. */
record Kept(Path root) {

    private static final Set<String> NOT_KEPT = Set.of("gitdir", "commondir", "locked");

    /** The run's own place among the kept ones; that place itself is taken as well. */
    static Kept of(Path kept, RunId run) {
        return new Kept(kept.endsWith(run.text()) ? kept : kept.resolve(run.text()));
    }

    Path files() {
        return root.resolve("files");
    }

    Path git() {
        return root.resolve("git");
    }

    /** Which checkpoint the rest belongs to. */
    private Path marker() {
        return root.resolve("checkpoint");
    }

    boolean belongsTo(String commit) throws IOException {
        return Files.exists(marker()) && Files.readString(marker()).strip().equals(commit);
    }

    void belongTo(String commit) throws IOException {
        Files.createDirectories(root);
        var fresh = root.resolve("checkpoint.new");
        Files.writeString(fresh, commit + "\n");
        Files.move(fresh, marker(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Moves a file out of a worktree. What an earlier removal kept under the same name steps aside. */
    void take(Path worktree, GitPath path) throws IOException {
        var from = path.in(worktree);
        var to = path.in(files());
        if (!Moving.exists(from)) return;
        Moving.move(from, to, Moving.Clash.LEAVE);
        if (!Moving.exists(from)) return;
        for (int n = 1; Moving.exists(from); n++) {
            var older = path.in(root.resolve("older-" + n));
            if (Moving.exists(older)) continue;
            Files.createDirectories(older.getParent());
            Files.move(to, older, StandardCopyOption.ATOMIC_MOVE);
            Moving.move(from, to, Moving.Clash.LEAVE);
        }
    }

    void giveBack(Path to, boolean move, Moving.Clash clash) throws IOException {
        if (!Files.isDirectory(files())) return;
        for (var child : Moving.children(files())) {
            var place = to.resolve(child.getFileName());
            if (move) Moving.move(child, place, clash);
            else lay(child, place, clash);
        }
        if (move) Moving.deleteIfEmpty(files());
    }

    private static void lay(Path from, Path to, Moving.Clash clash) throws IOException {
        boolean directory = Files.isDirectory(from, java.nio.file.LinkOption.NOFOLLOW_LINKS);
        if (directory && Files.isDirectory(to, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            for (var child : Moving.children(from)) lay(child, to.resolve(child.getFileName()), clash);
            return;
        }
        if (Moving.exists(to) && clash == Moving.Clash.REPLACE && !directory) Moving.delete(to);
        Moving.copy(from, to);
    }

    void takeGit(Admin admin) throws IOException {
        Moving.delete(git());
        Files.createDirectories(git());
        for (var child : Moving.children(admin.dir())) {
            var name = child.getFileName().toString();
            boolean passing = name.endsWith(".lock") || name.startsWith(Admin.OWN_INDEX);
            if (!passing && !NOT_KEPT.contains(name) && !name.equals("modules"))
                Moving.copy(child, git().resolve(name));
        }
    }

    void takeModules(Admin admin) throws IOException {
        Moving.move(admin.dir().resolve("modules"), git().resolve("modules"), Moving.Clash.LEAVE);
    }

    /** Puts git's files back, HEAD not among them: that is decided anew. */
    void giveGitBack(Admin admin, boolean withModules) throws IOException {
        if (!Files.isDirectory(git())) return;
        for (var child : Moving.children(git())) {
            var name = child.getFileName().toString();
            var place = admin.dir().resolve(name);
            if (name.equals("HEAD")) continue;
            if (name.equals("modules")) {
                if (withModules) Moving.move(child, place, Moving.Clash.LEAVE);
            } else {
                lay(child, place, Moving.Clash.REPLACE);
            }
        }
    }

    /** Everything is back in the worktree. What could not go back stays. */
    void close() throws IOException {
        if (!Moving.exists(git().resolve("modules"))) Moving.delete(git());
        Files.deleteIfExists(marker());
        Moving.deleteIfEmpty(root);
    }
}
