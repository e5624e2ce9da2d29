package dev.roost.worktrees;

import dev.roost.run.Refused;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Takes a worktree away after everything in it is somewhere else. First it steps aside under another name, where it is
 * looked at for the last time; only without its {@code .git} file may its files be deleted.
 */
final class Removing {

    private static final int ROUNDS = 4;

    private final Git git;
    private final Worktree w;
    private final CheckpointLimits limits;
    private final Kept kept;
    private final Instant at;

    Removing(Git git, Worktree w, CheckpointLimits limits, Kept kept, Instant at) {
        this.git = git;
        this.w = w;
        this.limits = limits;
        this.kept = kept;
        this.at = at;
    }

    static Path aside(Worktree w) {
        return w.path()
                .toAbsolutePath()
                .normalize()
                .resolveSibling(".roost-removing-" + w.path().getFileName());
    }

    /** Ends a removal that a crash cut short, or undoes it: whichever loses nothing. True if the worktree is back. */
    static boolean recover(Worktree w) throws IOException {
        var aside = aside(w);
        if (!Moving.exists(aside)) return false;
        if (Files.isDirectory(w.path(), LinkOption.NOFOLLOW_LINKS)) Moving.deleteIfEmpty(w.path());
        if (!Moving.exists(aside.resolve(".git"))) {
            Moving.delete(aside);
            return false;
        }
        if (Moving.exists(w.path())) return false;
        Files.move(aside, w.path(), StandardCopyOption.ATOMIC_MOVE);
        return true;
    }

    Removed remove(Admin admin) throws IOException {
        var moved = new LinkedHashMap<GitPath, LeftOut>();
        var away = new HashSet<GitPath>();
        var taken = take(w.path(), admin, Set.of());
        refuseWorries(w.path(), taken);
        for (int round = 1; ; round++) {
            for (var out : taken.leftOut()) keep(w.path(), out, moved, away);
            for (var stray : strays(w.path(), taken.checkpoint())) keep(w.path(), stray, moved, away);
            admin.pointTo(w.path()); // a pointer older than a day would follow the move as soon as git looks
            Files.move(w.path(), aside(w), StandardCopyOption.ATOMIC_MOVE);
            var again = take(aside(w), admin, away);
            boolean still =
                    again.checkpoint().commit().equals(taken.checkpoint().commit())
                            && again.leftOut().isEmpty()
                            && strays(aside(w), again.checkpoint()).isEmpty();
            taken = again;
            if (still) break;
            Files.move(aside(w), w.path(), StandardCopyOption.ATOMIC_MOVE);
            if (round == ROUNDS) throw refused(List.of("%s is still being written to".formatted(w.path())));
        }
        kept.takeGit(admin);
        kept.takeModules(admin);
        kept.belongTo(taken.checkpoint().commit());
        Files.delete(aside(w).resolve(".git"));
        try (var _ = Locks.on(w.common())) {
            git.at(w.common())
                    .run("worktree", "remove", "--force", "--force", w.path().toString());
        }
        Moving.delete(aside(w));
        return new Removed(Optional.of(taken.checkpoint()), kept.root(), List.copyOf(moved.values()));
    }

    private Taking.Taken take(Path root, Admin admin, Set<GitPath> away) {
        return new Taking(git, w, root, admin, "before its worktree is removed", at).take(root, limits, away);
    }

    private void keep(Path root, Found out, Map<GitPath, LeftOut> moved, Set<GitPath> away) throws IOException {
        kept.take(root, out.path());
        moved.put(out.path(), out.told());
        away.add(out.path());
    }

    private void refuseWorries(Path root, Taking.Taken taken) throws IOException {
        var worries = new ArrayList<String>();
        var all = new ArrayList<>(taken.leftOut());
        all.addAll(strays(root, taken.checkpoint()));
        for (var out : all) {
            if (out.kind() == LeftOut.Kind.REPOSITORY)
                new Nested(git, root, out.path())
                        .worry()
                        .ifPresent(worry ->
                                worries.add("%s %s".formatted(out.path().text(), worry)));
        }
        if (!worries.isEmpty()) throw refused(worries);
    }

    private Refused refused(List<String> worries) {
        return new Refused(
                "work_not_kept",
                "The worktree of %s stays, because not all of it can be kept: %s."
                        .formatted(w.run(), String.join("; ", worries)),
                "Commit and push what is in there, or move it away, then try again.");
    }

    /** Whatever the checkpoint does not name, git's blind spots too: pipes, nested repositories, odd directories. */
    private List<Found> strays(Path root, Checkpoint checkpoint) throws IOException {
        var names = new HashSet<>(Filling.names(git.at(w.common()), checkpoint.commit()));
        var found = new ArrayList<Found>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes facts) {
                if (dir.equals(root)) return FileVisitResult.CONTINUE;
                if (!Files.exists(dir.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) return FileVisitResult.CONTINUE;
                var path = GitPath.of(root, dir);
                if (git.at(dir).ask("rev-parse", "--show-prefix").out().isBlank())
                    found.add(new Found(path, LeftOut.Kind.REPOSITORY, -1));
                else return FileVisitResult.CONTINUE;
                return FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) {
                if (file.equals(root.resolve(".git"))) return FileVisitResult.CONTINUE;
                var path = GitPath.of(root, file);
                if (facts.isOther()) found.add(new Found(path, LeftOut.Kind.SPECIAL, 0));
                else if (!names.contains(path)) found.add(new Found(path, LeftOut.Kind.IGNORED, facts.size()));
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
