package dev.roost.git.worktree;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.KeyedLocks;
import dev.roost.git.SafeMove;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointCheckout;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.checkpoint.CheckpointRefs;
import dev.roost.git.checkpoint.CheckpointWriter;
import dev.roost.git.checkpoint.KeptFiles;
import dev.roost.git.checkpoint.OmittedFile;
import dev.roost.git.checkpoint.OmittedFile.OmissionReason;
import dev.roost.git.worktree.GitWorktrees.RemoveResult;
import dev.roost.landing.Landing;
import dev.roost.landing.LandingCalculator;
import dev.roost.landing.RemoteRefs.RemoteAnswers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * Removes a worktree after all its content is stored elsewhere. It first renames the worktree and checks it once more there.
 * It deletes files only after it has deleted the {@code .git} file.
 */
final class WorktreeRemover {

    private static final int ROUNDS = 4;

    private final Git git;
    private final Worktree w;
    private final CheckpointLimits limits;
    private final KeptFiles kept;
    private final Instant at;

    WorktreeRemover(Git git, Worktree w, CheckpointLimits limits, KeptFiles kept, Instant at) {
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

    /** Completes or undoes an interrupted removal, so that nothing is lost. True if the worktree is restored. */
    static boolean recover(Worktree w) throws IOException {
        var aside = aside(w);
        if (!SafeMove.exists(aside)) return false;
        if (Files.isDirectory(w.path(), LinkOption.NOFOLLOW_LINKS)) SafeMove.deleteIfEmpty(w.path());
        if (!SafeMove.exists(aside.resolve(".git"))) {
            SafeMove.delete(aside);
            return false;
        }
        if (SafeMove.exists(w.path())) return false;
        Files.move(aside, w.path(), StandardCopyOption.ATOMIC_MOVE);
        return true;
    }

    RemoveResult remove(WorktreeGitDir gitDir) throws IOException {
        var moved = new LinkedHashMap<GitPath, OmittedFile>();
        var away = new HashSet<GitPath>();
        var taken = checkpoint(w.path(), gitDir, Set.of());
        refuseUnsaved(w.path(), taken);
        for (int round = 1; ; round++) {
            for (var out : taken.omitted()) setAside(w.path(), out, moved, away);
            for (var stray : strays(w.path(), taken)) setAside(w.path(), stray, moved, away);
            gitDir.pointTo(w.path()); // git would update a pointer older than a day to the new path
            Files.move(w.path(), aside(w), StandardCopyOption.ATOMIC_MOVE);
            var again = checkpoint(aside(w), gitDir, away);
            boolean still = again.commit().equals(taken.commit())
                    && again.omitted().isEmpty()
                    && strays(aside(w), again).isEmpty();
            taken = again;
            if (still) break;
            Files.move(aside(w), w.path(), StandardCopyOption.ATOMIC_MOVE);
            if (round == ROUNDS) throw refused(List.of("%s is still being written to".formatted(w.path())));
        }
        kept.takeGit(gitDir);
        kept.takeModules(gitDir);
        kept.belongTo(taken.commit());
        Files.delete(aside(w).resolve(".git"));
        try (var _ = KeyedLocks.on(w.common())) {
            git.at(w.common())
                    .run("worktree", "remove", "--force", "--force", w.path().toString());
        }
        SafeMove.delete(aside(w));
        return new RemoveResult(Optional.of(taken), kept.root(), List.copyOf(moved.values()));
    }

    private Checkpoint checkpoint(Path root, WorktreeGitDir gitDir, Set<GitPath> away) {
        return new CheckpointWriter(git, w, root, gitDir, "before its worktree is removed", at)
                .write(root, limits, away);
    }

    private void setAside(Path root, OmittedFile out, Map<GitPath, OmittedFile> moved, Set<GitPath> away)
            throws IOException {
        kept.moveIn(root, out.path());
        moved.put(out.path(), out);
        away.add(out.path());
    }

    private void refuseUnsaved(Path root, Checkpoint taken) throws IOException {
        var worries = new ArrayList<String>();
        var all = new ArrayList<>(taken.omitted());
        all.addAll(strays(root, taken));
        for (var out : all) {
            if (out.kind() == OmissionReason.REPOSITORY)
                unsavedReason(git.at(out.path().in(root)))
                        .ifPresent(worry ->
                                worries.add("%s %s".formatted(out.path().text(), worry)));
        }
        if (!worries.isEmpty()) throw refused(worries);
    }

    /** Why a nested repository has changes or commits that exist nowhere else, if so. */
    private static Optional<String> unsavedReason(Git inside) {
        var status = inside.ask("status", "--porcelain", "-z", "--untracked-files=all");
        if (!status.ok()) return Optional.of("is a repository that git cannot read");
        if (!status.out().isEmpty()) return Optional.of("is a repository with changes that are not committed");
        var unborn = inside.commit("HEAD").isEmpty();
        var own = unborn
                ? inside.ask("rev-list", "--max-count=1", "--all", "--not", "--remotes")
                : inside.ask("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes");
        if (!own.ok() || !own.out().isBlank())
            return Optional.of("is a repository with commits that are on none of its remotes");
        return Optional.empty();
    }

    private RoostError refused(List<String> worries) {
        return ErrorCode.WORK_NOT_KEPT.error(
                "The worktree of %s stays, because not all of it can be kept: %s."
                        .formatted(w.run(), String.join("; ", worries)),
                "Commit and push what is in there, or move it away, then try again.");
    }

    /** All files that the checkpoint lacks, also those that git ignores: pipes, nested repositories, invalid ones. */
    private List<OmittedFile> strays(Path root, Checkpoint checkpoint) throws IOException {
        var names = new HashSet<>(CheckpointCheckout.names(git.at(w.common()), checkpoint.commit()));
        var found = new ArrayList<OmittedFile>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes facts) {
                if (dir.equals(root)) return FileVisitResult.CONTINUE;
                if (!Files.exists(dir.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) return FileVisitResult.CONTINUE;
                var path = GitPath.of(root, dir);
                if (git.at(dir).ask("rev-parse", "--show-prefix").out().isBlank())
                    found.add(new OmittedFile(path, OmissionReason.REPOSITORY, -1));
                else return FileVisitResult.CONTINUE;
                return FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) {
                if (file.equals(root.resolve(".git"))) return FileVisitResult.CONTINUE;
                var path = GitPath.of(root, file);
                if (facts.isOther()) found.add(new OmittedFile(path, OmissionReason.SPECIAL, 0));
                else if (!names.contains(path)) found.add(new OmittedFile(path, OmissionReason.IGNORED, facts.size()));
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    /** Deletes a run's refs and branch once everything in its last checkpoint is merged. */
    record MergedRefCleaner(Git git, Worktree w) {

        boolean deleteMergedRefs() {
            var there = git.at(w.common());
            var last = CheckpointRefs.latest(git, w);
            var landing = new LandingCalculator(git, w, Landing.LookupScope.LOCAL, new RemoteAnswers()).compute();
            boolean nothing = landing.stage() == Landing.Stage.NOTHING;
            if (!(landing.stage() == Landing.Stage.MERGED || nothing) || !landing.isClean()) return false;
            if (last.isPresent() && (!isPlain(last.get()) || hasOtherCommits(last.get(), landing.head()))) return false;
            var branch = there.commit(w.branchRef());
            if (branch.isPresent()) {
                var leads = there.isAncestor(branch.get(), landing.head());
                var used = there.run("worktree", "list", "--porcelain").lines().contains("branch " + w.branchRef());
                if (!leads || used) return false;
            }
            var orders = new StringBuilder();
            for (var ref : CheckpointRefs.of(git, w).refs())
                orders.append("delete ")
                        .append(ref.name())
                        .append(' ')
                        .append(ref.commit())
                        .append('\n');
            if (branch.isPresent())
                orders.append("delete ")
                        .append(w.branchRef())
                        .append(' ')
                        .append(branch.get())
                        .append('\n');
            if (orders.isEmpty()) return true;
            return there.given(orders.toString().getBytes(StandardCharsets.US_ASCII))
                    .ask("update-ref", "--stdin")
                    .ok();
        }

        /** Whether the checkpoint leads to commits of the agent that the landed commit does not contain. */
        private boolean hasOtherCommits(Checkpoint known, String head) {
            var beyond = git.at(w.common()).ask("log", "--format=%s", known.commit(), "--not", head, w.base());
            return !beyond.ok() || beyond.lines().stream().anyMatch(subject -> !subject.startsWith("roost "));
        }

        /** Whether the checkpoint's files and index equal its HEAD. */
        private boolean isPlain(Checkpoint known) {
            var message = known.message();
            if (message.head().isEmpty()) return false;
            var tree = git.at(w.common()).line("rev-parse", message.head().get() + "^{tree}");
            return tree.equals(known.tree())
                    && message.index().equals(Optional.of(tree))
                    && message.operation().isEmpty();
        }
    }
}
