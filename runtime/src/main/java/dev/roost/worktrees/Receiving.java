package dev.roost.worktrees;

import dev.roost.run.Broken;
import dev.roost.run.Refused;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Takes a checkpoint from another machine into the repository here. Nothing points to it before all of it is looked at. */
final class Receiving {

    private static final Set<String> PAPERS =
            Set.of("gitdir", "commondir", "locked", "modules", "hooks", "refs", "head");

    private final Git git;
    private final Worktree w;
    private final Parcel parcel;

    Receiving(Git git, Worktree w, Parcel parcel) {
        this.git = git.at(w.common());
        this.w = w;
        this.parcel = parcel;
        if (!parcel.ref().matches("\\Q" + w.refs() + "\\E[1-9][0-9]{0,8}") || !isId(parcel.commit()))
            throw refused("it names %s, which is no checkpoint of this run".formatted(parcel.ref()));
        if (parcel.tip().isPresent() && !isId(parcel.tip().get())) throw refused("its branch is at no commit");
    }

    private static boolean isId(String text) {
        return text.matches("[0-9a-f]{40}|[0-9a-f]{64}");
    }

    /** From a file. What it builds on and this clone lacks is fetched first. */
    Message.Parsed unwrap(Path bundle) {
        var file = bundle.toString();
        var heads = git.ask("bundle", "list-heads", file);
        if (!heads.ok()) throw refused("its work is no bundle that git can read");
        if (!heads.lines().contains(parcel.commit() + " " + parcel.ref()))
            throw refused("its work holds another checkpoint than it says");
        if (!verify(file).ok()) {
            fetchBranches();
            var again = verify(file);
            if (!again.ok()) throw lacks(again);
        }
        var reply = git.ask("bundle", "unbundle", file);
        if (!reply.ok()) throw refused("its work is damaged: " + reply.complaint());
        return look();
    }

    private Reply verify(String file) {
        return git.ask("bundle", "verify", file);
    }

    /** From the remote that checkpoints are pushed to. */
    Message.Parsed fetch(String remote) {
        if (remote.isBlank() || remote.startsWith("-"))
            throw refused("\"%s\" is no name of a remote".formatted(remote));
        var reply = Remotes.fetch(git, remote, parcel.ref());
        if (!reply.ok())
            throw new Refused(
                    "work_not_here",
                    "The checkpoint %s cannot be had from %s: %s".formatted(parcel.ref(), remote, reply.complaint()),
                    "See whether `git fetch %s` works in %s.".formatted(remote, w.common()));
        return look();
    }

    private void fetchBranches() {
        Remotes.fetchBranches(
                git, Key.reachable(git).stream().map(Key.Remote::name).toList());
    }

    /** Whether it is what it should be: complete, this run's, and with names that stay inside of a worktree. */
    private Message.Parsed look() {
        var commit = git.ask("cat-file", "commit", parcel.commit());
        if (!commit.ok()) throw refused("its work does not hold %s".formatted(parcel.commit()));
        var parsed = Message.parse(commit.out()).orElseThrow(() -> refused("its work is no checkpoint"));
        var said = parsed.message();
        if (!said.run().equals(w.run())) throw refused("its work is that of " + said.run());
        if (!git.ask("cat-file", "-e", w.base() + "^{commit}").ok())
            throw new Refused(
                    "work_not_here",
                    "The repository %s does not have the commit %s, from which %s began."
                            .formatted(w.common(), w.base(), w.run()),
                    "Fetch in it, and try again.");
        if (!isWhole()) throw refused("parts of its work are missing");
        var trees = new ArrayList<>(List.of(parsed.tree()));
        said.raw().ifPresent(trees::add);
        said.state().ifPresent(trees::add);
        said.state().ifPresent(this::lookAtState);
        said.index().ifPresent(trees::add);
        for (var tree : trees) {
            if (!isId(tree)) throw refused("its work names no tree");
            for (var path : Trees.list(git, tree).keySet())
                if (leadsAway(path)) throw refused("its work has a file of the name " + path.text());
        }
        return parsed;
    }

    private boolean isWhole() {
        return Rescues.isWhole(git, parcel.commit(), List.of(w.base()));
    }

    /** Git's files about a rebase or merge; those that say where a worktree belongs are never among them. */
    private void lookAtState(String tree) {
        if (!isId(tree)) throw refused("its work names no tree");
        for (var path : Trees.list(git, tree).keySet())
            if (PAPERS.contains(Reply.pieces(path.raw(), '/').getFirst().toLowerCase(Locale.ROOT)))
                throw refused("its work has git's own file " + path.text());
    }

    private static boolean leadsAway(GitPath path) {
        return Reply.pieces(path.raw() + "/", '/').stream()
                .anyMatch(name ->
                        name.isEmpty() || name.equals(".") || name.equals("..") || name.equalsIgnoreCase(".git"));
    }

    /** Gives it a name after all others: what this machine itself kept of the run before stays, but is not the latest. */
    Checkpoint name(Message.Parsed parsed) {
        var last = Rescues.of(git, w).last();
        int n = Integer.parseInt(parcel.ref().substring(w.refs().length()));
        if (last.isPresent() && !last.get().commit().equals(parcel.commit()))
            n = Math.max(n, last.get().n() + 1);
        else if (last.isPresent()) n = last.get().n();
        var ref = new Rescues.Ref(n, w.refs() + n, parcel.commit());
        if (last.filter(ref::equals).isEmpty())
            git.run(
                    "update-ref",
                    ref.name(),
                    ref.commit(),
                    "0".repeat(ref.commit().length()));
        Collector.await(w.common());
        if (!isWhole()) { // nothing led to it until now, and somebody may have tidied up
            git.ask("update-ref", "-d", ref.name(), ref.commit());
            throw new Broken("luggage_lost", "Somebody collects garbage in the repository.", "Try again.");
        }
        moveBranch();
        parsed.message().branch().ifPresent(branch -> makeBranch(branch, parsed.message()));
        return new Rescues.Known(ref, parsed).told();
    }

    /** The run's own branch follows, if what it leads to here is kept by a checkpoint or is in what came. */
    private void moveBranch() {
        if (parcel.tip().isEmpty() || !isHere(parcel.tip().get())) return;
        var tip = parcel.tip().get();
        var now = git.ask("rev-parse", "--verify", "--quiet", w.branchRef() + "^{commit}");
        if (!now.ok()) {
            git.run("update-ref", w.branchRef(), tip, "0".repeat(tip.length()));
        } else if (!now.line().equals(tip) && isKept(now.line())) {
            git.run("update-ref", "-m", "roost: came from another machine", w.branchRef(), tip, now.line());
        }
    }

    private boolean isKept(String commit) {
        return !git.run("for-each-ref", "--count=1", "--contains=" + commit, w.refs())
                .lines()
                .isEmpty();
    }

    /** Another branch that the run was on is made here as well, unless there is one of that name. */
    private void makeBranch(String branch, Message said) {
        Optional<String> head = said.head().filter(this::isHere);
        if (head.isEmpty() || !branch.startsWith("refs/heads/")) return;
        if (!git.ask("check-ref-format", branch).ok()) return;
        if (git.ask("rev-parse", "--verify", "--quiet", branch).ok()) return;
        git.ask("update-ref", branch, head.get(), "0".repeat(head.get().length()));
    }

    private boolean isHere(String commit) {
        return isId(commit) && git.ask("cat-file", "-e", commit + "^{commit}").ok();
    }

    private Refused lacks(Reply reply) {
        return new Refused(
                "work_not_here",
                "The repository %s lacks what the work of %s builds on: %s"
                        .formatted(w.common(), w.run(), reply.complaint()),
                "Fetch in it, and try again.");
    }

    private Refused refused(String why) {
        return new Refused(
                "bad_luggage",
                "The luggage of %s is refused: %s.".formatted(w.run(), why),
                "Nothing was changed. Its last checkpoint is still where it was made.");
    }
}
