package dev.roost.git.worktree;

import dev.roost.base.ErrorCode;
import dev.roost.git.Git;
import dev.roost.git.KeyedLocks;
import dev.roost.git.SafeMove;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointCheckout;
import dev.roost.git.checkpoint.CheckpointMessage;
import dev.roost.git.checkpoint.KeptFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Creates a worktree, or its missing parts. It builds the worktree beside its path and moves the complete one into place, so
 * that a crash never leaves an incomplete worktree.
 */
final class WorktreeCreator {

    private static final int MOST_TRIES = 4;
    private static final Duration TICK = Duration.ofMillis(20);

    private final Git git;
    private final Worktree w;
    private final Path to;

    WorktreeCreator(Git git, Worktree w, Path to) {
        this.git = git.at(w.common());
        this.w = w;
        this.to = to.toAbsolutePath().normalize();
    }

    /** The path of the incomplete worktree. Its last name is the final one, because git names its own directory after it. */
    Path temporaryPath() {
        return nest().resolve(to.getFileName());
    }

    private Path nest() {
        return to.resolveSibling(".roost-making-" + to.getFileName());
    }

    /** Deletes or completes what an interrupted creation left. */
    void clear() throws IOException {
        for (var begun : WorktreeGitDir.begunFor(reason(), w.common())) SafeMove.delete(begun.dir());
        var whole = WorktreeGitDir.of(to, w.common());
        for (var gitDir : WorktreeGitDir.allPointingTo(temporaryPath(), w.common())) {
            if (whole.equals(Optional.of(gitDir))) gitDir.pointTo(to); // moved, but git's pointer is stale
            else SafeMove.delete(gitDir.dir());
        }
        SafeMove.delete(nest());
    }

    /** Creates the worktree on the run's branch; creates the branch at the base if it is missing. */
    void create() throws IOException {
        try (var _ = KeyedLocks.on(w.common())) {
            clear();
            if (!exists(w.branchRef())) git.makeRef(w.branchRef(), w.base());
            var words = adding();
            if (isCheckedOut(w.branchRef()))
                words.addAll(List.of("--detach", temporaryPath().toString(), w.branchRef()));
            else words.addAll(List.of(temporaryPath().toString(), w.branch()));
            add(words);
            makeIndexNewest();
            moveIntoPlace();
        }
    }

    /** Creates the worktree from a checkpoint; uses {@code kept} if it belongs to that checkpoint. */
    void createFrom(Checkpoint rescue, KeptFiles kept) throws IOException {
        try (var _ = KeyedLocks.on(w.common())) {
            clear();
            var gitDir = bare(rescue.message().head().orElse(w.base()));
            try {
                new CheckpointCheckout(git.at(temporaryPath()), gitDir, temporaryPath(), w.base())
                        .fill(rescue, kept, isHome());
                putHead(rescue.message());
                git.at(temporaryPath()).ask("update-index", "-q", "--refresh");
                makeIndexNewest();
            } catch (IOException | RuntimeException e) {
                clear();
                throw e;
            }
            moveIntoPlace();
        }
    }

    /** Makes a directory with files a worktree again after git lost it; does not change its files. */
    void attach(Optional<Checkpoint> rescue) throws IOException {
        try (var _ = KeyedLocks.on(w.common())) {
            clear();
            var known = WorktreeGitDir.pointingTo(to, w.common()).filter(WorktreeGitDir::isWhole);
            if (known.isPresent()) {
                var fresh = to.resolve(".git.roost");
                Files.writeString(fresh, "gitdir: " + known.get().dir() + "\n", StandardCharsets.UTF_8);
                Files.move(fresh, to.resolve(".git"), StandardCopyOption.ATOMIC_MOVE);
                return;
            }
            var message = rescue.map(Checkpoint::message);
            boolean ownBranch = exists(w.branchRef())
                    && message.flatMap(CheckpointMessage::branch)
                            .map(w.branchRef()::equals)
                            .orElse(true)
                    && message.flatMap(CheckpointMessage::operation).isEmpty();
            var head = ownBranch
                    ? git.line("rev-parse", w.branchRef() + "^{commit}")
                    : message.flatMap(CheckpointMessage::head).orElse(w.base());
            var gitDir = bare(head);
            if (ownBranch && !isCheckedOut(w.branchRef()))
                git.at(temporaryPath()).run("symbolic-ref", "HEAD", w.branchRef());
            var temporary = git.at(temporaryPath());
            if (rescue.isPresent() && message.flatMap(CheckpointMessage::head).equals(Optional.of(head)))
                new CheckpointCheckout(temporary, gitDir, temporaryPath(), w.base()).index(rescue.get());
            else temporary.run("read-tree", head);
            Files.move(temporaryPath().resolve(".git"), to.resolve(".git"), StandardCopyOption.ATOMIC_MOVE);
            gitDir.pointTo(to);
            git.at(to).ask("update-index", "-q", "--refresh");
            SafeMove.delete(nest());
        }
    }

    private WorktreeGitDir bare(String commit) throws IOException {
        var words = adding();
        words.addAll(List.of("--no-checkout", "--detach", temporaryPath().toString(), commit));
        add(words);
        return WorktreeGitDir.of(temporaryPath(), w.common())
                .orElseThrow(() -> ErrorCode.GIT_FAILED.error("git made no worktree.", "Look at " + w.common() + "."));
    }

    /** Retries, because a {@code git gc} may delete the new git directory in the moment before it is locked. */
    private void add(List<String> words) throws IOException {
        var all = words.toArray(String[]::new);
        for (int i = 1; i < MOST_TRIES; i++) {
            if (git.ask(all).ok()) return;
            if (Thread.currentThread().isInterrupted()) throw new InterruptedIOException("it was to end before that");
            clear();
        }
        git.run(all);
    }

    private List<String> adding() {
        // twice, because git may still list and lock the path of a lost worktree
        return new ArrayList<>(List.of("worktree", "add", "--force", "--force", "--lock", "--reason", reason()));
    }

    private String reason() {
        return "roost " + w.run();
    }

    void lock() {
        git.ask("worktree", "lock", "--reason", reason(), to.toString());
    }

    /**
     * Makes the index newer than every file. A checkpoint cannot tell a file written in the same clock tick as the index from a
     * file that changed later.
     */
    private void makeIndexNewest() throws IOException {
        var gitDir = WorktreeGitDir.of(temporaryPath(), w.common()).orElseThrow();
        LockSupport.parkNanos(TICK.toNanos());
        var now = Files.createTempFile(gitDir.dir(), WorktreeGitDir.OWN_INDEX, "");
        Files.setLastModifiedTime(gitDir.index(), Files.getLastModifiedTime(now));
        Files.delete(now);
    }

    private void moveIntoPlace() throws IOException {
        var gitDir = WorktreeGitDir.of(temporaryPath(), w.common()).orElseThrow();
        var stale = WorktreeGitDir.pointingTo(to, w.common());
        if (stale.isPresent()) git.ask("worktree", "remove", "--force", "--force", to.toString());
        Files.createDirectories(to.getParent());
        if (Files.isDirectory(to, LinkOption.NOFOLLOW_LINKS)) SafeMove.deleteIfEmpty(to);
        Files.move(temporaryPath(), to, StandardCopyOption.ATOMIC_MOVE);
        gitDir.pointTo(to);
        SafeMove.delete(nest());
    }

    /** Puts HEAD on its branch, if the branch has not moved and no other worktree has it. Moves no branch. */
    private void putHead(CheckpointMessage message) {
        if (message.branch().isEmpty() || !isHome()) return;
        var branch = message.branch().get();
        var temporary = git.at(temporaryPath());
        if (message.head().isEmpty()) {
            if (!exists(branch)) temporary.run("symbolic-ref", "HEAD", branch);
            return;
        }
        var head = message.head().get();
        if (branch.equals(w.branchRef()) && !exists(branch)) git.createRef(branch, head);
        var now = git.commit(branch);
        if (now.equals(Optional.of(head)) && !isCheckedOut(branch)) temporary.run("symbolic-ref", "HEAD", branch);
    }

    private boolean isHome() {
        return to.equals(w.path().toAbsolutePath().normalize());
    }

    private boolean exists(String ref) {
        return git.commit(ref).isPresent();
    }

    /** Whether another worktree has the branch checked out. */
    private boolean isCheckedOut(String branch) {
        var place = "";
        for (var line : git.run("worktree", "list", "--porcelain").lines()) {
            if (line.startsWith("worktree ")) place = line.substring("worktree ".length());
            boolean own =
                    place.equals(to.toString()) || place.equals(temporaryPath().toString());
            if (!own && line.equals("branch " + branch)) return true;
        }
        return false;
    }
}
