package dev.roost.worktrees;

import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
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

/** Worktrees of runs: made, checkpointed, looked at, removed and brought back. */
public final class Worktrees {

    private static final Duration PUSH = Duration.ofMinutes(2);
    private static final Duration CHECKPOINT = Duration.ofMinutes(5);

    private final CheckpointLimits limits;
    private final Git git;

    public Worktrees(CheckpointLimits limits) {
        this(limits, System.getenv());
    }

    /** With the environment that git and the forge's programs are to have. */
    public Worktrees(CheckpointLimits limits, Map<String, String> environment) {
        this.limits = limits;
        this.git = new Git(Path.of("/"), Map.copyOf(environment));
    }

    /** Whether the directory is there and is that repository's worktree. */
    public boolean isIntact(Worktree w) {
        return Ensuring.isIntact(w);
    }

    /** Leaves an intact worktree alone and makes one that is gone or damaged again, at its path and nowhere else. */
    public Made ensure(Worktree w, Path kept) {
        return guarded(w, () -> new Ensuring(git, w, kept).ensure());
    }

    /** Keeps what is there now. Where nothing changed since the last one, that one is the answer. */
    public Checkpoint checkpoint(Worktree w, String why, Instant at) {
        return guarded(w, () -> {
            var _ = Removing.recover(w);
            var admin = Admin.of(w.path(), w.common()).orElseThrow(() -> gone(w));
            return new Taking(git.within(CHECKPOINT), w, w.path(), admin, why, at)
                    .take(w.path(), limits, Set.of())
                    .checkpoint();
        });
    }

    public Optional<Checkpoint> latest(Worktree w) {
        return Rescues.latest(git, w).map(Rescues.Known::told);
    }

    /** What is other than in the base: in the worktree if it is there, else in the latest checkpoint, else on the branch. */
    public List<Changed> changed(Worktree w) {
        return Changed.in(git, w);
    }

    public Landing look(Worktree w, Landing.Reach reach) {
        return look(w, reach, new Answers());
    }

    /** The same, where what remotes answered may be known from a moment ago. */
    public Landing look(Worktree w, Landing.Reach reach, Answers answers) {
        return new Looking(git, w, reach, answers).look();
    }

    /** Takes the worktree away after everything in it was kept; refuses if something cannot be. */
    public Removed remove(Worktree w, Path kept, Instant at) {
        return guarded(w, () -> {
            var _ = Removing.recover(w);
            if (!Ensuring.isFilled(w.path())) {
                new Ensuring(git, w, kept).salvage();
                try (var _ = Locks.on(w.common())) {
                    if (Admin.pointingTo(w.path(), w.common()).isPresent())
                        git.at(w.common())
                                .run(
                                        "worktree",
                                        "remove",
                                        "--force",
                                        "--force",
                                        w.path().toString());
                }
                if (Moving.exists(w.path())) Moving.deleteIfEmpty(w.path());
                return new Removed(latest(w), Kept.of(kept, w.run()).root(), List.of());
            }
            if (Files.isSymbolicLink(w.path()))
                throw new Refused(
                        "work_not_kept",
                        "%s is a link to %s now, and what is there was not kept."
                                .formatted(w.path(), Files.readSymbolicLink(w.path())),
                        "Move it back, or remove the link.");
            if (!isIntact(w)) {
                if (Files.isDirectory(w.path().resolve(".git"), LinkOption.NOFOLLOW_LINKS))
                    throw new Refused(
                            "work_not_kept",
                            "%s is not the worktree of %s any more: it is a repository of its own."
                                    .formatted(w.path(), w.run()),
                            "Look at it, and move it away if it is needed.");
                new Making(git, w, w.path()).attach(Rescues.latest(git, w));
            }
            var admin = Admin.of(w.path(), w.common()).orElseThrow(() -> gone(w));
            return new Removing(git, w, limits, Kept.of(kept, w.run()), at).remove(admin);
        });
    }

    /** Brings a checkpoint back, byte for byte, at its own place or at any other that is free. */
    public Path restore(Worktree w, Path to, Path kept, Optional<Integer> n) {
        return guarded(w, () -> {
            boolean back = Removing.recover(w);
            var ensuring = new Ensuring(git, w, kept);
            if (back && n.isEmpty() && ensuring.isHome(to)) return to;
            if (Ensuring.isFilled(to))
                throw new Refused(
                        "not_empty",
                        "%s is there already and not empty.".formatted(to),
                        "Name a directory that does not exist.");
            if (ensuring.isHome(to)) ensuring.salvage();
            var rescues = Rescues.of(git, w);
            var known = n.map(rescues::number)
                    .orElseGet(rescues::last)
                    .flatMap(ref -> Rescues.read(git, w, ref))
                    .orElseThrow(() -> new Refused(
                            "no_checkpoint",
                            "Nothing was kept of %s%s."
                                    .formatted(
                                            w.run(),
                                            n.map(k -> " under number " + k).orElse("")),
                            "See which checkpoints there are with: git for-each-ref " + w.refs()));
            ensuring.bring(to, known);
            return to;
        });
    }

    /** Sends a checkpoint's ref to a remote; what it left out stays here. */
    public void push(Worktree w, Checkpoint c, String remote) {
        if (remote.isBlank() || remote.startsWith("-"))
            throw new BadInput(
                    "bad_remote", "\"%s\" is no name of a remote.".formatted(remote), "Name one of `git remote`.");
        var reply = Remotes.quietly(git.at(w.common()).within(PUSH))
                .ask("push", "--no-verify", "--no-recurse-submodules", "--", remote, c.commit() + ":" + c.ref());
        if (!reply.ok()) throw Git.failed(reply, "push");
    }

    /** What another machine must know of a checkpoint that was pushed. */
    public Parcel describe(Worktree w, Checkpoint c) {
        return new Wrapping(git, w).describe(c);
    }

    /** Writes a checkpoint to a file of at most about so many bytes, from which another clone can {@link #receive} it. */
    public Parcel wrap(Worktree w, Checkpoint c, Path file, long most) {
        return new Wrapping(git.within(CHECKPOINT), w).wrap(c, file, most);
    }

    /**
     * Takes in a checkpoint that another machine made, as the latest of the run; {@code ensure} then makes the worktree from
     * it. What is here of the worktree from an earlier time is kept and goes.
     */
    public Checkpoint receive(Worktree w, Parcel parcel, Path bundle, Path kept, Instant at) {
        var receiving = new Receiving(git.within(CHECKPOINT), w, parcel);
        return take(w, receiving, receiving.unwrap(bundle), kept, at);
    }

    /** The same, from the remote that it was pushed to. */
    public Checkpoint fetch(Worktree w, Parcel parcel, String remote, Path kept, Instant at) {
        var receiving = new Receiving(git, w, parcel);
        return take(w, receiving, receiving.fetch(remote), kept, at);
    }

    private Checkpoint take(Worktree w, Receiving receiving, Message.Parsed parsed, Path kept, Instant at) {
        return guarded(w, () -> {
            var _ = remove(w, kept, at);
            try (var _ = Locks.on(w.common())) {
                return receiving.name(parsed);
            }
        });
    }

    /** Sees to it that the repository has a commit, by fetching if it must. */
    public void obtain(Path common, String commit) {
        var here = git.at(common);
        if (has(here, commit)) return;
        Remotes.fetchBranches(here, here.run("remote").lines());
        if (has(here, commit)) return;
        throw new Refused(
                "no_such_commit",
                "The repository %s does not have the commit %s, and none of its remotes has it."
                        .formatted(common, commit),
                "Push the branch that has it, or start from a commit that was pushed.");
    }

    /** Whether other clones can have the commit: a remote has it, as far as is known here. */
    public boolean isShared(Path common, String commit) {
        return !git.at(common)
                .run("for-each-ref", "--count=1", "--contains=" + commit, "refs/remotes/")
                .lines()
                .isEmpty();
    }

    private static boolean has(Git git, String commit) {
        return git.ask("cat-file", "-e", commit + "^{commit}").ok();
    }

    /** Deletes the run's refs and branch if all of it is merged; else does nothing. */
    public boolean forget(Worktree w) {
        return guarded(w, () -> {
            if (Ensuring.isFilled(w.path())) return false; // its branch is in use
            return new Forgetting(git, w).forget();
        });
    }

    /** What a person could type to get the work back without Roost. */
    public List<String> plainGit(Worktree w, Checkpoint c) {
        var place = w.path().resolveSibling(w.run() + "-" + c.n());
        return List.of("git", "-C", w.common().toString(), "worktree", "add", "--detach", place.toString(), c.ref());
    }

    private static RoostError gone(Worktree w) {
        if (!Files.isDirectory(w.common())) return Git.repositoryGone(w.common());
        if (Moving.exists(w.path()))
            return new Refused(
                    "no_worktree",
                    "%s is there, but it is not the worktree of %s any more.".formatted(w.path(), w.run()),
                    "Its files are as they were left; look at its .git.");
        return new Refused(
                "no_worktree",
                "The worktree of %s is not at %s.".formatted(w.run(), w.path()),
                "Bring it back with: roost restore " + w.run());
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private static <T> T guarded(Worktree w, Work<T> work) {
        try (var _ = Locks.on(w.path())) {
            return work.run();
        } catch (IOException e) {
            throw broken(w, e);
        } catch (UncheckedIOException e) {
            throw broken(w, e);
        }
    }

    private static Broken broken(Worktree w, Exception e) {
        return new Broken(
                "worktree_files",
                "The files of %s could not be read or written: %s".formatted(w.run(), e),
                "Look at the disk and the permissions of " + w.path() + ".");
    }
}
