package dev.roost.worktrees;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A run's checkpoints, as its repository has them. */
record Rescues(List<Ref> refs) {

    record Ref(int n, String name, String commit) {}

    /** A checkpoint and everything its commit says. */
    record Known(Ref ref, Message.Parsed parsed) {

        Message message() {
            return parsed.message();
        }

        Checkpoint told() {
            return told(message().leftOut());
        }

        Checkpoint told(List<LeftOut> leftOut) {
            return new Checkpoint(
                    ref.n(), ref.name(), ref.commit(), parsed.at(), message().why(), false, leftOut);
        }
    }

    static Rescues of(Git git, Worktree w) {
        var found = new ArrayList<Ref>();
        for (var line : git.at(w.common())
                .run("for-each-ref", "--format=%(objectname) %(refname)", w.refs())
                .lines()) {
            int space = line.indexOf(' ');
            var name = line.substring(space + 1);
            var number = name.substring(w.refs().length());
            if (number.matches("[1-9][0-9]{0,8}"))
                found.add(new Ref(Integer.parseInt(number), name, line.substring(0, space)));
        }
        found.sort(Comparator.comparingInt(Ref::n));
        return new Rescues(List.copyOf(found));
    }

    Optional<Ref> last() {
        return refs.isEmpty() ? Optional.empty() : Optional.of(refs.getLast());
    }

    /**
     * Without a last one that lacks something: {@code git gc --prune=now} removes what nothing leads to yet, and a checkpoint
     * may be in the making just then. Such a ref goes, or it would be in the way of git itself.
     */
    Rescues withoutBroken(Git git, Worktree w) {
        var last = last();
        if (last.isEmpty()) return this;
        var known = new ArrayList<String>();
        if (refs.size() > 1) known.add(refs.get(refs.size() - 2).commit());
        read(git, w, last.get()).flatMap(one -> one.message().head()).ifPresent(known::add);
        if (isWhole(git, last.get().commit(), known)) return this;
        git.at(w.common()).run("update-ref", "-d", last.get().name(), last.get().commit());
        return new Rescues(refs.subList(0, refs.size() - 1));
    }

    /** Whether everything that the commit leads to is there, beyond what is known to be. */
    static boolean isWhole(Git git, String commit, List<String> known) {
        var words = new ArrayList<>(
                List.of("rev-list", "--objects", "--quiet", "--missing=allow-promisor", commit, "--not"));
        words.addAll(known);
        var reply = git.ask(words.toArray(String[]::new));
        return reply.ok() || reply.exit() == Reply.LATE;
    }

    Optional<Ref> number(int n) {
        return refs.stream().filter(ref -> ref.n() == n).findFirst();
    }

    static Optional<Known> read(Git git, Worktree w, Ref ref) {
        return Message.parse(git.at(w.common())
                        .run("cat-file", "commit", ref.commit())
                        .out())
                .map(parsed -> new Known(ref, parsed));
    }

    static Optional<Known> latest(Git git, Worktree w) {
        return of(git, w).last().flatMap(ref -> read(git, w, ref));
    }
}
