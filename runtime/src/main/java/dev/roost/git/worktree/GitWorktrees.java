package dev.roost.git.worktree;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.git.Git;
import dev.roost.git.KeyedLocks;
import dev.roost.git.SafeMove;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.checkpoint.CheckpointRefs;
import dev.roost.git.checkpoint.CheckpointWriter;
import dev.roost.git.checkpoint.KeptFiles;
import dev.roost.git.checkpoint.OmittedFile;
import dev.roost.landing.Landing;
import dev.roost.landing.LandingCalculator;
import dev.roost.landing.RemoteRefs;
import dev.roost.landing.RemoteRefs.RemoteAnswers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Creates, checkpoints, inspects, removes and restores the worktrees of runs. */
public final class GitWorktrees {

    private static final Duration PUSH = Duration.ofMinutes(2);
    private static final Duration CHECKPOINT = Duration.ofMinutes(5);

    private final CheckpointLimits limits;
    private final Git git;

    public GitWorktrees(CheckpointLimits limits) {
        this(limits, System.getenv());
    }

    /** @param environment the environment of git and of the forge's programs */
    public GitWorktrees(CheckpointLimits limits, Map<String, String> environment) {
        this.limits = limits;
        this.git = new Git(Path.of("/"), Map.copyOf(environment));
    }

    /** Whether the directory exists and is a worktree of the repository. */
    public boolean isIntact(Worktree w) {
        return WorktreeRestorer.isIntact(w);
    }

    /** Creates a missing or damaged worktree again at its path; does not change an intact one. */
    public EnsureResult ensure(Worktree w, Path kept) {
        return guarded(w, () -> new WorktreeRestorer(git, w, kept).ensure());
    }

    /** Makes a checkpoint of the worktree; returns the latest one if nothing has changed since. */
    public Checkpoint checkpoint(Worktree w, String why, Instant at) {
        return guarded(w, () -> {
            var _ = WorktreeRemover.recover(w);
            var gitDir = WorktreeGitDir.of(w.path(), w.common()).orElseThrow(() -> gone(w));
            return new CheckpointWriter(git.within(CHECKPOINT), w, w.path(), gitDir, why, at)
                    .write(w.path(), limits, Set.of());
        });
    }

    public Optional<Checkpoint> latest(Worktree w) {
        return CheckpointRefs.latest(git, w);
    }

    /** The changes since the base: in the worktree if it exists, else in the latest checkpoint, else on the branch. */
    public List<ChangedFile> changed(Worktree w) {
        return ChangedFile.in(git, w);
    }

    public Landing landing(Worktree w, Landing.LookupScope reach) {
        return landing(w, reach, new RemoteAnswers());
    }

    /** The landing; {@code answers} caches the answers of remotes. */
    public Landing landing(Worktree w, Landing.LookupScope reach, RemoteAnswers answers) {
        return new LandingCalculator(git, w, reach, answers).compute();
    }

    /** Stores all content of the worktree and removes it; refuses if some content cannot be stored. */
    public RemoveResult remove(Worktree w, Path kept, Instant at) {
        return guarded(w, () -> {
            var _ = WorktreeRemover.recover(w);
            if (!SafeMove.isFilled(w.path())) {
                new WorktreeRestorer(git, w, kept).salvage();
                try (var _ = KeyedLocks.on(w.common())) {
                    if (WorktreeGitDir.pointingTo(w.path(), w.common()).isPresent())
                        git.at(w.common())
                                .run(
                                        "worktree",
                                        "remove",
                                        "--force",
                                        "--force",
                                        w.path().toString());
                }
                if (SafeMove.exists(w.path())) SafeMove.deleteIfEmpty(w.path());
                return new RemoveResult(latest(w), KeptFiles.of(kept, w.run()).root(), List.of());
            }
            if (Files.isSymbolicLink(w.path()))
                throw ErrorCode.WORK_NOT_KEPT.error(
                        "%s is a link to %s now, and what is there was not kept."
                                .formatted(w.path(), Files.readSymbolicLink(w.path())),
                        "Move it back, or remove the link.");
            if (!isIntact(w)) {
                if (Files.isDirectory(w.path().resolve(".git"), LinkOption.NOFOLLOW_LINKS))
                    throw ErrorCode.WORK_NOT_KEPT.error(
                            "%s is not the worktree of %s any more: it is a repository of its own."
                                    .formatted(w.path(), w.run()),
                            "Look at it, and move it away if it is needed.");
                new WorktreeCreator(git, w, w.path()).attach(CheckpointRefs.latest(git, w));
            }
            var gitDir = WorktreeGitDir.of(w.path(), w.common()).orElseThrow(() -> gone(w));
            return new WorktreeRemover(git, w, limits, KeptFiles.of(kept, w.run()), at).remove(gitDir);
        });
    }

    /** Restores a checkpoint byte for byte, at its own path or at another path that is free. */
    public Path restore(Worktree w, Path to, Path kept, Optional<Integer> n) {
        return guarded(w, () -> {
            boolean back = WorktreeRemover.recover(w);
            var worktreeRestorer = new WorktreeRestorer(git, w, kept);
            if (back && n.isEmpty() && worktreeRestorer.isHome(to)) return to;
            if (SafeMove.isFilled(to))
                throw ErrorCode.NOT_EMPTY.error("%s is there already and not empty.".formatted(to));
            if (worktreeRestorer.isHome(to)) worktreeRestorer.salvage();
            var refs = CheckpointRefs.of(git, w);
            var known = n.map(refs::number)
                    .orElseGet(refs::last)
                    .flatMap(ref -> CheckpointRefs.read(git, w, ref))
                    .orElseThrow(() -> ErrorCode.NO_CHECKPOINT.error(
                            "Nothing was kept of %s%s."
                                    .formatted(
                                            w.run(),
                                            n.map(k -> " under number " + k).orElse("")),
                            "See which checkpoints there are with: git for-each-ref " + w.refs()));
            worktreeRestorer.restore(to, known);
            return to;
        });
    }

    /** Pushes a checkpoint's ref to a remote, without the files that the checkpoint omits. */
    public void push(Worktree w, Checkpoint c, String remote) {
        if (remote.isBlank() || remote.startsWith("-"))
            throw ErrorCode.BAD_REMOTE.error("\"%s\" is no name of a remote.".formatted(remote));
        var reply = RemoteRefs.quietly(git.at(w.common()).within(PUSH))
                .ask("push", "--no-verify", "--no-recurse-submodules", "--", remote, c.commit() + ":" + c.ref());
        if (!reply.ok()) throw Git.failed(reply, "push");
    }

    /** The description with which another machine can fetch a pushed checkpoint. */
    public CheckpointDescriptor describe(Worktree w, Checkpoint c) {
        return CheckpointTransfer.describe(git, w, c);
    }

    /** Writes a checkpoint to a file of about {@code most} bytes at most, which another clone can {@link #receive}. */
    public CheckpointDescriptor export(Worktree w, Checkpoint c, Path file, long most) {
        return CheckpointTransfer.export(git.within(CHECKPOINT), w, c, file, most);
    }

    /**
     * Imports a checkpoint from another machine as the latest of the run; {@code ensure} then creates the worktree from it. An
     * existing local worktree is stored and removed.
     */
    public Checkpoint receive(Worktree w, CheckpointDescriptor descriptor, Path bundle, Path kept, Instant at) {
        var transfer = new CheckpointTransfer(git.within(CHECKPOINT), w, descriptor);
        return importCheckpoint(w, transfer, transfer.readBundle(bundle), kept, at);
    }

    /** Imports a checkpoint from the remote to which it was pushed. */
    public Checkpoint fetch(Worktree w, CheckpointDescriptor descriptor, String remote, Path kept, Instant at) {
        var transfer = new CheckpointTransfer(git, w, descriptor);
        return importCheckpoint(w, transfer, transfer.fetch(remote), kept, at);
    }

    private Checkpoint importCheckpoint(
            Worktree w, CheckpointTransfer transfer, Checkpoint parsed, Path kept, Instant at) {
        return guarded(w, () -> {
            var _ = remove(w, kept, at);
            try (var _ = KeyedLocks.on(w.common())) {
                return transfer.storeRef(parsed);
            }
        });
    }

    /** Fetches a commit if the repository lacks it. */
    public void fetchCommit(Path common, String commit) {
        var here = git.at(common);
        if (here.has(commit)) return;
        RemoteRefs.fetchBranches(here, here.run("remote").lines());
        if (here.has(commit)) return;
        throw ErrorCode.NO_SUCH_COMMIT.error(
                "The repository %s does not have the commit %s, and none of its remotes has it."
                        .formatted(common, commit));
    }

    /** Whether other clones can fetch the commit: a remote-tracking branch contains it. */
    public boolean isShared(Path common, String commit) {
        return !git.at(common)
                .run("for-each-ref", "--count=1", "--contains=" + commit, "refs/remotes/")
                .lines()
                .isEmpty();
    }

    /** Deletes the run's refs and branch if all its work is merged; else does nothing. */
    public boolean deleteMergedRefs(Worktree w) {
        return guarded(w, () -> {
            if (SafeMove.isFilled(w.path())) return false; // its branch is in use
            return new WorktreeRemover.MergedRefCleaner(git, w).deleteMergedRefs();
        });
    }

    /** A git command that restores the work without Roost. */
    public List<String> plainGit(Worktree w, Checkpoint c) {
        var place = w.path().resolveSibling(w.run() + "-" + c.n());
        return List.of("git", "-C", w.common().toString(), "worktree", "add", "--detach", place.toString(), c.ref());
    }

    private static RoostError gone(Worktree w) {
        if (!Files.isDirectory(w.common())) return Git.repositoryGone(w.common());
        if (SafeMove.exists(w.path()))
            return ErrorCode.NO_WORKTREE.error(
                    "%s is there, but it is not the worktree of %s any more.".formatted(w.path(), w.run()),
                    "Its files are as they were left; look at its .git.");
        return ErrorCode.NO_WORKTREE.error(
                "The worktree of %s is not at %s.".formatted(w.run(), w.path()),
                "Bring it back with: roost restore " + w.run());
    }

    private interface GitTask<T> {
        T run() throws IOException;
    }

    private static <T> T guarded(Worktree w, GitTask<T> work) {
        try (var _ = KeyedLocks.on(w.path())) {
            return work.run();
        } catch (IOException e) {
            throw broken(w, e);
        } catch (UncheckedIOException e) {
            throw broken(w, e);
        }
    }

    private static RoostError broken(Worktree w, Exception e) {
        return ErrorCode.WORKTREE_FILES.error(
                "The files of %s could not be read or written: %s".formatted(w.run(), e),
                "Look at the disk and the permissions of " + w.path() + ".");
    }

    /** A removed worktree: its checkpoint, and the files that were moved to {@code kept}. */
    public record RemoveResult(Optional<Checkpoint> checkpoint, Path kept, List<OmittedFile> moved) {

        public RemoveResult {
            moved = List.copyOf(moved);
        }
    }
}
