package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import dev.roost.git.Worktree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The checkpoint refs of a run in its repository. */
public record CheckpointRefs(List<CheckpointRef> refs) {

    public record CheckpointRef(int n, String name, String commit) {}

    public static CheckpointRefs of(Git git, Worktree w) {
        var found = new ArrayList<CheckpointRef>();
        for (var line : git.at(w.common())
                .run("for-each-ref", "--format=%(objectname) %(refname)", w.refs())
                .lines()) {
            int space = line.indexOf(' ');
            var name = line.substring(space + 1);
            var number = name.substring(w.refs().length());
            if (number.matches("[1-9][0-9]{0,8}"))
                found.add(new CheckpointRef(Integer.parseInt(number), name, line.substring(0, space)));
        }
        found.sort(Comparator.comparingInt(CheckpointRef::n));
        return new CheckpointRefs(List.copyOf(found));
    }

    public Optional<CheckpointRef> last() {
        return refs.isEmpty() ? Optional.empty() : Optional.of(refs.getLast());
    }

    /**
     * Deletes the last ref if its checkpoint is incomplete: {@code git gc --prune=now} may delete objects of a checkpoint that
     * is being written. Git fails while such a ref exists.
     */
    CheckpointRefs withoutBroken(Git git, Worktree w) {
        var last = last();
        if (last.isEmpty()) return this;
        var known = new ArrayList<String>();
        if (refs.size() > 1) known.add(refs.get(refs.size() - 2).commit());
        read(git, w, last.get()).flatMap(one -> one.message().head()).ifPresent(known::add);
        if (isWhole(git, last.get().commit(), known)) return this;
        git.at(w.common()).run("update-ref", "-d", last.get().name(), last.get().commit());
        return new CheckpointRefs(refs.subList(0, refs.size() - 1));
    }

    /** Whether all objects that the commit leads to exist. Does not check what {@code known} leads to. */
    public static boolean isWhole(Git git, String commit, List<String> known) {
        var words = new ArrayList<>(
                List.of("rev-list", "--objects", "--quiet", "--missing=allow-promisor", commit, "--not"));
        words.addAll(known);
        var reply = git.ask(words.toArray(String[]::new));
        return reply.ok() || reply.exit() == GitReply.LATE;
    }

    public Optional<CheckpointRef> number(int n) {
        return refs.stream().filter(ref -> ref.n() == n).findFirst();
    }

    public static Optional<Checkpoint> read(Git git, Worktree w, CheckpointRef ref) {
        return CheckpointMessage.parse(
                ref, git.at(w.common()).run("cat-file", "commit", ref.commit()).out());
    }

    public static Optional<Checkpoint> latest(Git git, Worktree w) {
        return of(git, w).last().flatMap(ref -> read(git, w, ref));
    }
}
