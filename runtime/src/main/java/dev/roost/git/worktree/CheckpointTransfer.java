package dev.roost.git.worktree;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.RepositoryKey;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointMessage;
import dev.roost.git.checkpoint.CheckpointRefs;
import dev.roost.git.checkpoint.CheckpointRefs.CheckpointRef;
import dev.roost.git.checkpoint.TreeWriter;
import dev.roost.landing.RemoteRefs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Exports a checkpoint for another machine, and imports one: no ref points to it until all of it is checked. */
final class CheckpointTransfer {

    private static final Set<String> LOCATION_FILES =
            Set.of("gitdir", "commondir", "locked", "modules", "hooks", "refs", "head");

    /** The number of remote branches to compare with, the latest first. */
    private static final int MOST_BRANCHES = 500;

    private final Git git;
    private final Worktree w;
    private final CheckpointDescriptor descriptor;

    CheckpointTransfer(Git git, Worktree w, CheckpointDescriptor descriptor) {
        this.git = git.at(w.common());
        this.w = w;
        this.descriptor = descriptor;
        if (!descriptor.ref().matches("\\Q" + w.refs() + "\\E[1-9][0-9]{0,8}") || !isId(descriptor.commit()))
            throw refused("it names %s, which is no checkpoint of this run".formatted(descriptor.ref()));
        if (descriptor.tip().isPresent() && !isId(descriptor.tip().get())) throw refused("its branch is at no commit");
    }

    private CheckpointRef ref() {
        int n = Integer.parseInt(descriptor.ref().substring(w.refs().length()));
        return new CheckpointRef(n, descriptor.ref(), descriptor.commit());
    }

    private static boolean isId(String text) {
        return text.matches("[0-9a-f]{40}|[0-9a-f]{64}");
    }

    /** Reads a checkpoint from a file. Fetches the base commits first if this clone lacks them. */
    Checkpoint readBundle(Path bundle) {
        var file = bundle.toString();
        var heads = git.ask("bundle", "list-heads", file);
        if (!heads.ok()) throw refused("its work is no bundle that git can read");
        if (!heads.lines().contains(descriptor.commit() + " " + descriptor.ref()))
            throw refused("its work holds another checkpoint than it says");
        if (!verify(file).ok()) {
            fetchBranches();
            var again = verify(file);
            if (!again.ok()) throw missingCommits(again);
        }
        var reply = git.ask("bundle", "unbundle", file);
        if (!reply.ok()) throw refused("its work is damaged: " + reply.errorText());
        return checkReceived();
    }

    private GitReply verify(String file) {
        return git.ask("bundle", "verify", file);
    }

    /** Fetches a checkpoint from the remote to which checkpoints are pushed. */
    Checkpoint fetch(String remote) {
        if (remote.isBlank() || remote.startsWith("-"))
            throw refused("\"%s\" is no name of a remote".formatted(remote));
        var reply = RemoteRefs.fetch(git, remote, descriptor.ref());
        if (!reply.ok())
            throw ErrorCode.WORK_NOT_HERE.error(
                    "The checkpoint %s cannot be had from %s: %s"
                            .formatted(descriptor.ref(), remote, reply.errorText()),
                    "See whether `git fetch %s` works in %s.".formatted(remote, w.common()));
        return checkReceived();
    }

    private void fetchBranches() {
        RemoteRefs.fetchBranches(
                git,
                RepositoryKey.reachable(git).stream()
                        .map(RepositoryKey.Remote::name)
                        .toList());
    }

    /** Checks that the checkpoint is complete, belongs to this run, and has no file name that leaves the worktree. */
    private Checkpoint checkReceived() {
        var commit = git.ask("cat-file", "commit", descriptor.commit());
        if (!commit.ok()) throw refused("its work does not hold %s".formatted(descriptor.commit()));
        var parsed =
                CheckpointMessage.parse(ref(), commit.out()).orElseThrow(() -> refused("its work is no checkpoint"));
        var message = parsed.message();
        if (!message.run().equals(w.run())) throw refused("its work is that of " + message.run());
        if (!git.has(w.base()))
            throw ErrorCode.WORK_NOT_HERE.error("The repository %s does not have the commit %s, from which %s began."
                    .formatted(w.common(), w.base(), w.run()));
        if (!isWhole()) throw refused("parts of its work are missing");
        var trees = new ArrayList<>(List.of(parsed.tree()));
        message.raw().ifPresent(trees::add);
        message.state().ifPresent(trees::add);
        message.state().ifPresent(this::checkState);
        message.index().ifPresent(trees::add);
        for (var tree : trees) {
            if (!isId(tree)) throw refused("its work names no tree");
            for (var path : TreeWriter.list(git, tree).keySet())
                if (leavesWorktree(path)) throw refused("its work has a file of the name " + path.text());
        }
        return parsed;
    }

    private boolean isWhole() {
        return CheckpointRefs.isWhole(git, descriptor.commit(), List.of(w.base()));
    }

    /** Checks git's files of a rebase or merge: none of them may give the location of a worktree. */
    private void checkState(String tree) {
        if (!isId(tree)) throw refused("its work names no tree");
        for (var path : TreeWriter.list(git, tree).keySet())
            if (LOCATION_FILES.contains(
                    GitReply.pieces(path.raw(), '/').getFirst().toLowerCase(Locale.ROOT)))
                throw refused("its work has git's own file " + path.text());
    }

    private static boolean leavesWorktree(GitPath path) {
        return GitReply.pieces(path.raw() + "/", '/').stream()
                .anyMatch(name ->
                        name.isEmpty() || name.equals(".") || name.equals("..") || name.equalsIgnoreCase(".git"));
    }

    /** Stores the checkpoint under the highest number, so that it is the latest. Local checkpoints stay. */
    Checkpoint storeRef(Checkpoint parsed) {
        var last = CheckpointRefs.of(git, w).last();
        int n = parsed.n();
        if (last.isPresent() && !last.get().commit().equals(descriptor.commit()))
            n = Math.max(n, last.get().n() + 1);
        else if (last.isPresent()) n = last.get().n();
        var ref = new CheckpointRef(n, w.refs() + n, descriptor.commit());
        if (last.filter(ref::equals).isEmpty()) git.makeRef(ref.name(), ref.commit());
        Git.awaitGc(w.common());
        if (!isWhole()) { // no ref led to it until now, so a garbage collection may have deleted objects
            git.ask("update-ref", "-d", ref.name(), ref.commit());
            throw ErrorCode.TRANSFER_FAILED.error("A git gc in the repository removed objects meanwhile.");
        }
        moveBranch();
        parsed.message().branch().ifPresent(branch -> makeBranch(branch, parsed.message()));
        return parsed.at(ref);
    }

    /** Moves the run's own branch to the imported commit, if a checkpoint keeps the branch's local commits. */
    private void moveBranch() {
        if (descriptor.tip().isEmpty() || !isHere(descriptor.tip().get())) return;
        var tip = descriptor.tip().get();
        var now = git.commit(w.branchRef());
        if (now.isEmpty()) {
            git.makeRef(w.branchRef(), tip);
        } else if (!now.get().equals(tip) && isKept(now.get())) {
            git.run("update-ref", "-m", "roost: came from another machine", w.branchRef(), tip, now.get());
        }
    }

    private boolean isKept(String commit) {
        return !git.run("for-each-ref", "--count=1", "--contains=" + commit, w.refs())
                .lines()
                .isEmpty();
    }

    /** Creates the branch of the imported HEAD, unless a branch of that name exists. */
    private void makeBranch(String branch, CheckpointMessage message) {
        Optional<String> head = message.head().filter(this::isHere);
        if (head.isEmpty() || !branch.startsWith("refs/heads/")) return;
        if (!git.ask("check-ref-format", branch).ok()) return;
        if (git.ask("rev-parse", "--verify", "--quiet", branch).ok()) return;
        git.createRef(branch, head.get());
    }

    private boolean isHere(String commit) {
        return isId(commit) && git.has(commit);
    }

    private RoostError missingCommits(GitReply reply) {
        return ErrorCode.WORK_NOT_HERE.error("The repository %s lacks what the work of %s builds on: %s"
                .formatted(w.common(), w.run(), reply.errorText()));
    }

    private RoostError refused(String why) {
        return ErrorCode.BAD_TRANSFER.error("The transfer bundle of %s is refused: %s.".formatted(w.run(), why));
    }

    /** Describes a checkpoint for another clone. */
    static CheckpointDescriptor describe(Git git, Worktree w, Checkpoint checkpoint) {
        return new CheckpointDescriptor(
                checkpoint.ref(), checkpoint.commit(), git.at(w.common()).commit(w.branchRef()));
    }

    /** Writes a checkpoint, with all objects that other clones may lack, to one file, unless that would be too big. */
    static CheckpointDescriptor export(Git anywhere, Worktree w, Checkpoint checkpoint, Path file, long most) {
        var git = anywhere.at(w.common());
        var descriptor = describe(git, w, checkpoint);
        var revisions = new ArrayList<>(List.of(checkpoint.ref()));
        if (descriptor.tip().isPresent()) revisions.add(w.branchRef());
        shared(git, w).ifPresent(commit -> revisions.addAll(List.of("--not", commit)));
        var measure = new ArrayList<>(List.of("rev-list", "--objects", "--disk-usage"));
        measure.addAll(revisions);
        long bytes = Long.parseLong(git.line(measure.toArray(String[]::new)));
        if (bytes > most) throw tooBig(w, bytes, most);
        var create = new ArrayList<>(List.of("bundle", "create", "--quiet", file.toString()));
        create.addAll(revisions);
        git.run(create.toArray(String[]::new));
        return descriptor;
    }

    /** The latest ancestor of the run's base that is on a remote which other machines can reach. */
    private static Optional<String> shared(Git git, Worktree w) {
        var branches = new ArrayList<String>();
        for (var remote : RepositoryKey.reachable(git)) {
            branches.addAll(git.run(
                            "for-each-ref",
                            "--sort=-committerdate",
                            "--count=" + MOST_BRANCHES,
                            "--format=%(objectname)",
                            "refs/remotes/" + remote.name() + "/",
                            "refs/roost/remotes/" + remote.name() + "/")
                    .lines());
        }
        if (branches.isEmpty()) return Optional.empty();
        var words = new ArrayList<>(List.of("merge-base", w.base()));
        branches.stream().distinct().limit(MOST_BRANCHES).forEach(words::add);
        var found = git.ask(words.toArray(String[]::new));
        return found.ok() && !found.line().isBlank() ? Optional.of(found.line()) : Optional.empty();
    }

    private static RoostError tooBig(Worktree w, long bytes, long most) {
        return ErrorCode.WORK_TOO_BIG.error(
                "The work of %s is %,d MiB beyond what other clones have; at most %,d MiB travel."
                        .formatted(w.run(), (bytes >> 20) + 1, most >> 20));
    }
}
