package dev.roost.house;

import dev.roost.house.Pruned.Elsewhere;
import dev.roost.house.Pruned.Left;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.RoostError;
import dev.roost.supervisor.RunDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Removes what a home need not keep for ever. Only ended runs are touched, and unread ones only if that is asked for. Work that is
 * merged nowhere stays under its rescue ref, and its run with it. Where there are several nodes, each prunes the runs whose
 * files it has; of the others' it removes the copies that came here to be read, and says how many they are. Once a node is forgotten,
 * its runs are anybody's to remove.
 */
final class Removal {

    private static final System.Logger LOG = System.getLogger(Removal.class.getName());

    private final Rooms rooms;
    private final Attempts attempts;
    private final Sending sending;
    private final List<Run> runs = new ArrayList<>();
    private final List<Run> worktrees = new ArrayList<>();
    private final List<Left> left = new ArrayList<>();
    private final Map<String, Integer> elsewhere = new TreeMap<>();
    private final Map<String, Boolean> known = new HashMap<>();
    private long freed;

    Removal(Rooms rooms, Attempts attempts, Sending sending) {
        this.rooms = rooms;
        this.attempts = attempts;
        this.sending = sending;
    }

    Pruned prune(Pruning wish) {
        var cutoff = rooms.clock().now().minus(wish.olderThan());
        long rest = 0;
        var young = new ArrayList<Run>();
        var listed = wish.mostBytes().isPresent() // then all that there is counts
                ? rooms.ledger().runs().list(Query.of(Query.Which.ALL)).reversed()
                : rooms.ledger().runs().endedBefore(cutoff);
        for (var run : listed) {
            if (isOthers(run)) {
                rest += size(run) - forgetCopy(run, wish, cutoff);
            } else if (!removable(run, wish)) {
                rest += size(run);
            } else if (run.latest().endedAt().orElseThrow().isBefore(cutoff)) {
                rest += size(run) - remove(run, wish);
            } else {
                young.add(run);
                rest += size(run);
            }
        }
        for (var run : young) {
            if (wish.mostBytes().isEmpty() || rest <= wish.mostBytes().getAsLong()) break;
            rest -= remove(run, wish);
        }
        if (!wish.onlyLook()) rooms.peers().forgetPruned();
        return new Pruned(runs, worktrees, left, elsewhere(), freed);
    }

    private List<Elsewhere> elsewhere() {
        return elsewhere.entrySet().stream()
                .map(node -> new Elsewhere(
                        node.getKey(), node.getValue(), rooms.peers().isHeard(node.getKey())))
                .toList();
    }

    /** Another node has its files, and prunes it: removed here, it would leave those without anybody. */
    private boolean isOthers(Run run) {
        return run.holder()
                .filter(node -> !rooms.keeping().isHere(run) && known.computeIfAbsent(node, rooms.peers()::isKnown))
                .isPresent();
    }

    /** What came here to be read can come again; what was worked on here once is kept in its repository. */
    private long forgetCopy(Run listed, Pruning wish, Instant cutoff) {
        boolean old = listed.latest().endedAt().filter(cutoff::isAfter).isPresent();
        if (!old || !removable(listed, wish)) return 0;
        elsewhere.merge(listed.holder().orElseThrow(), 1, Integer::sum);
        if (wish.onlyLook()) return 0;
        long before = size(listed);
        attempts.unlessTaken(
                listed.id(),
                () -> rooms.ledger()
                        .runs()
                        .find(listed.id()) // as it is now: it may have come here to go on
                        .filter(run -> removable(run, wish) && isOthers(run))
                        .ifPresent(this::deleteCopy));
        long now = before - size(listed);
        freed += now;
        return now;
    }

    private void deleteCopy(Run run) {
        try {
            rooms.keeping().clearing().removeCopy(run);
            rooms.home().run(run.id()).delete();
        } catch (IOException | RoostError e) {
            LOG.log(System.Logger.Level.WARNING, "the copies of files of %s stay".formatted(run.id()), e);
        }
    }

    private static boolean removable(Run run, Pruning wish) {
        return run.status().ended() && (wish.unreadToo() || !run.latest().unread());
    }

    /** How many bytes that frees. */
    private long remove(Run listed, Pruning wish) {
        try (var _ = sending.hold(listed.id())) {
            // the list is as old as what was removed before took; meanwhile a run may have been continued
            var now = rooms.ledger().runs().find(listed.id()).filter(one -> removable(one, wish));
            return now.isPresent() ? removeNow(now.get(), wish) : 0;
        }
    }

    private long removeNow(Run run, Pruning wish) {
        long before = size(run);
        long worktree = size(rooms.home().worktree(run.id()));
        var why = run.work().isEmpty()
                ? Optional.<String>empty()
                : rooms.keeping().isHere(run) ? againstRemoval(run, wish) : againstForgetting(run, wish);
        if (why.isEmpty() && !wish.onlyLook()) why = delete(run);
        long now;
        if (why.isPresent()) {
            left.add(new Left(run, why.get()));
            now = wish.onlyLook() ? (worktrees.contains(run) ? worktree : 0) : before - size(run);
        } else {
            runs.add(run);
            now = before;
        }
        freed += now;
        return now;
    }

    /** Its worktree was on a node that does not come back: what is kept of it on the shelf is all there is. */
    private static Optional<String> againstForgetting(Run run, Pruning wish) {
        boolean merged = run.work()
                .flatMap(Work::landing)
                .filter(landing -> Set.of("merged", "nothing").contains(landing.stage()))
                .isPresent();
        if (merged || wish.unmerged()) return Optional.empty();
        return Optional.of("its worktree was on %s, a node that was forgotten; what was kept of it: roost restore %s"
                .formatted(run.holder().orElse("another node"), run.id()));
    }

    /** Takes its worktree away, whose content is kept; why the run itself has to stay. */
    private Optional<String> againstRemoval(Run run, Pruning wish) {
        var clearing = rooms.keeping().clearing();
        boolean only = wish.onlyLook();
        try {
            if (isThere(run)) {
                if (!only) clearing.remove(run);
                worktrees.add(run);
            }
            boolean settled = only ? clearing.couldForget(run) : clearing.forget(run);
            var now = rooms.ledger().runs().find(run.id()).orElse(run);
            if (!settled && !wish.unmerged())
                return Optional.of("its code is merged nowhere (%s)%s"
                        .formatted(
                                now.work()
                                        .flatMap(Work::landing)
                                        .map(Work.Landed::words)
                                        .orElse("not looked at"),
                                now.work()
                                        .flatMap(Work::rescue)
                                        .map(rescue -> ", and kept as " + rescue.ref())
                                        .orElse("")));
            boolean aside = hasFilesAside(rooms.home().kept(run.id()))
                    || (only
                            && now.work()
                                    .flatMap(Work::rescue)
                                    .filter(rescue -> rescue.leftOut() > 0)
                                    .isPresent());
            if (aside && !wish.keptToo())
                return Optional.of("files that git ignores, or that are too big for a checkpoint, are in "
                        + rooms.home().kept(run.id()));
            return Optional.empty();
        } catch (RoostError e) {
            return Optional.of(e.sentence());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "%s could not be pruned".formatted(run.id()), e);
            return Optional.of("something unexpected was in the way: " + e); // and not in the way of the others
        }
    }

    /** What git itself knows of the worktree is not the agent's. */
    private static boolean hasFilesAside(Path kept) {
        if (!Files.isDirectory(kept, LinkOption.NOFOLLOW_LINKS)) return false;
        try (var all = Files.list(kept)) {
            return all.anyMatch(one -> !one.endsWith("git") && !one.endsWith("checkpoint") && size(one) > 0);
        } catch (IOException e) {
            return true; // who cannot look must not throw away
        }
    }

    private static boolean isThere(Run run) {
        return run.work().filter(Work::isThere).isPresent();
    }

    /** Files first: a row without files still has its result, files without a row have nobody. Why it has to stay. */
    private Optional<String> delete(Run run) {
        try {
            new RunDirectory(rooms.home().kept(run.id())).delete();
            rooms.home().run(run.id()).delete();
        } catch (IOException e) {
            return Optional.of("its files in %s cannot be removed: %s"
                    .formatted(rooms.home().run(run.id()).path(), e.getMessage()));
        }
        // its shared files bring back what it needs here
        return rooms.ledger().remove(run.id())
                ? Optional.empty()
                : Optional.of("it was continued or removed from another node meanwhile");
    }

    private long size(Run run) {
        long size = size(rooms.home().run(run.id()).path());
        if (run.work().isEmpty()) return size;
        return size + size(rooms.home().worktree(run.id())) + size(rooms.home().kept(run.id()));
    }

    private static long size(Path directory) {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) return 0;
        try (var files = Files.walk(directory)) {
            long size = 0;
            for (var file : (Iterable<Path>) files::iterator)
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) size += Files.size(file);
            return size;
        } catch (IOException | UncheckedIOException e) {
            return 0; // somebody is removing it
        }
    }
}
