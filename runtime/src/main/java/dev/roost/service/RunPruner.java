package dev.roost.service;

import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.RoostError;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.service.PruneResult.KeptItem;
import dev.roost.service.PruneResult.RemoteRuns;
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
 * Removes ended runs, and unread ones only if the request says so. Unmerged work stays under its rescue ref, and its run stays
 * too. In a cluster each node prunes the runs whose files it has. Of other runs it removes only its local copies, and reports
 * their number. Any node may prune the runs of a forgotten node.
 */
final class RunPruner {

    private static final System.Logger LOG = System.getLogger(RunPruner.class.getName());

    private final RuntimeContext context;
    private final AttemptSupervisor supervisor;
    private final MessageSender messageSender;
    private final List<RunRecord> runs = new ArrayList<>();
    private final List<RunRecord> worktrees = new ArrayList<>();
    private final List<KeptItem> left = new ArrayList<>();
    private final Map<String, Integer> remoteRuns = new TreeMap<>();
    private final Map<String, Boolean> known = new HashMap<>();
    private long freed;

    RunPruner(RuntimeContext context, AttemptSupervisor supervisor, MessageSender messageSender) {
        this.context = context;
        this.supervisor = supervisor;
        this.messageSender = messageSender;
    }

    PruneResult prune(PruneRequest request) {
        var cutoff = context.clock().now().minus(request.olderThan());
        long rest = 0;
        var young = new ArrayList<RunRecord>();
        var listed = request.mostBytes().isPresent() // then the size of all runs counts
                ? context.ledger()
                        .runs()
                        .list(RunQuery.of(RunQuery.StatusFilter.ALL))
                        .reversed()
                : context.ledger().runs().endedBefore(cutoff);
        for (var run : listed) {
            if (isHeldElsewhere(run)) {
                rest += size(run) - forgetCopy(run, request, cutoff);
            } else if (!removable(run, request)) {
                rest += size(run);
            } else if (run.latest().endedAt().orElseThrow().isBefore(cutoff)) {
                rest += size(run) - remove(run, request);
            } else {
                young.add(run);
                rest += size(run);
            }
        }
        for (var run : young) {
            if (request.mostBytes().isEmpty() || rest <= request.mostBytes().getAsLong()) break;
            rest -= remove(run, request);
        }
        if (!request.onlyLook()) context.output().deletePrunedFiles();
        return new PruneResult(runs, worktrees, left, remoteRuns(), freed);
    }

    private List<RemoteRuns> remoteRuns() {
        return remoteRuns.entrySet().stream()
                .map(node -> new RemoteRuns(
                        node.getKey(), node.getValue(), context.membership().isAlive(node.getKey())))
                .toList();
    }

    /** Whether another known node has the run's files: that node must prune it, or the files would be orphaned there. */
    private boolean isHeldElsewhere(RunRecord run) {
        return run.holder()
                .filter(node ->
                        !context.worktrees().isLocal(run) && known.computeIfAbsent(node, context.membership()::isKnown))
                .isPresent();
    }

    /** Removes local copies: output can be fetched again, and an old worktree is first saved as a checkpoint. */
    private long forgetCopy(RunRecord listed, PruneRequest request, Instant cutoff) {
        boolean old = listed.latest().endedAt().filter(cutoff::isAfter).isPresent();
        if (!old || !removable(listed, request)) return 0;
        remoteRuns.merge(listed.holder().orElseThrow(), 1, Integer::sum);
        if (request.onlyLook()) return 0;
        long before = size(listed);
        supervisor.runIfUnowned(
                listed.id(),
                () -> context.ledger()
                        .runs()
                        .find(listed.id()) // read again: the run may have moved here meanwhile
                        .filter(run -> removable(run, request) && isHeldElsewhere(run))
                        .ifPresent(this::deleteCopy));
        long now = before - size(listed);
        freed += now;
        return now;
    }

    private void deleteCopy(RunRecord run) {
        try {
            context.worktrees().cleanup().removeCopy(run);
            context.home().run(run.id()).delete();
        } catch (IOException | RoostError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "could not remove the local copies of the files of %s".formatted(run.id()),
                    e);
        }
    }

    private static boolean removable(RunRecord run, PruneRequest request) {
        return run.status().ended() && (request.unreadToo() || !run.latest().unread());
    }

    /** Removes the run; returns the freed bytes. */
    private long remove(RunRecord listed, PruneRequest request) {
        try (var _ = messageSender.lockRun(listed.id())) {
            // removing the runs before took time, in which this run may have been continued
            var now = context.ledger().runs().find(listed.id()).filter(current -> removable(current, request));
            return now.isPresent() ? removeNow(now.get(), request) : 0;
        }
    }

    private long removeNow(RunRecord run, PruneRequest request) {
        long before = size(run);
        long worktree = size(context.home().worktree(run.id()));
        var why = run.work().isEmpty()
                ? Optional.<String>empty()
                : context.worktrees().isLocal(run) ? removeWorktreeOrExplain(run, request) : whyCopyKept(run, request);
        if (why.isEmpty() && !request.onlyLook()) why = delete(run);
        long now;
        if (why.isPresent()) {
            left.add(new KeptItem(run, why.get()));
            now = request.onlyLook() ? (worktrees.contains(run) ? worktree : 0) : before - size(run);
        } else {
            runs.add(run);
            now = before;
        }
        freed += now;
        return now;
    }

    /** Why a run of a forgotten node must stay: the uploaded copy of its worktree is the only one. */
    private static Optional<String> whyCopyKept(RunRecord run, PruneRequest request) {
        boolean merged = run.work()
                .flatMap(WorktreeRecord::landing)
                .filter(landing -> Set.of("merged", "nothing").contains(landing.stage()))
                .isPresent();
        if (merged || request.unmerged()) return Optional.empty();
        return Optional.of("its worktree was on %s, a forgotten node; restore the uploaded copy: roost restore %s"
                .formatted(run.holder().orElse("another node"), run.id()));
    }

    /** Removes the worktree after a checkpoint; returns why the run itself must stay. */
    private Optional<String> removeWorktreeOrExplain(RunRecord run, PruneRequest request) {
        var cleanup = context.worktrees().cleanup();
        boolean only = request.onlyLook();
        try {
            if (isThere(run)) {
                if (!only) cleanup.remove(run);
                worktrees.add(run);
            }
            boolean merged = only ? cleanup.canDeleteRefs(run) : cleanup.deleteMergedRefs(run);
            var now = context.ledger().runs().find(run.id()).orElse(run);
            if (!merged && !request.unmerged())
                return Optional.of("its code is merged nowhere (%s)%s"
                        .formatted(
                                now.work()
                                        .flatMap(WorktreeRecord::landing)
                                        .map(WorktreeRecord.LandingState::words)
                                        .orElse("not looked at"),
                                now.work()
                                        .flatMap(WorktreeRecord::rescue)
                                        .map(rescue -> ", and kept as " + rescue.ref())
                                        .orElse("")));
            boolean aside = hasFilesAside(context.home().keptFiles(run.id()))
                    || (only
                            && now.work()
                                    .flatMap(WorktreeRecord::rescue)
                                    .filter(rescue -> rescue.leftOut() > 0)
                                    .isPresent());
            if (aside && !request.keptToo())
                return Optional.of("files that git ignores, or that are too big for a checkpoint, are in "
                        + context.home().keptFiles(run.id()));
            return Optional.empty();
        } catch (RoostError e) {
            return Optional.of(e.sentence());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "%s could not be pruned".formatted(run.id()), e);
            return Optional.of("an unexpected error occurred: " + e); // the other runs are still pruned
        }
    }

    /** Whether there are saved files of the agent, apart from Roost's own git data. */
    private static boolean hasFilesAside(Path kept) {
        if (!Files.isDirectory(kept, LinkOption.NOFOLLOW_LINKS)) return false;
        try (var all = Files.list(kept)) {
            return all.anyMatch(file -> !file.endsWith("git") && !file.endsWith("checkpoint") && size(file) > 0);
        } catch (IOException e) {
            return true; // an unreadable directory must not be deleted
        }
    }

    private static boolean isThere(RunRecord run) {
        return run.work().filter(WorktreeRecord::isThere).isPresent();
    }

    /** Deletes the files first, then the row: a row without files has its result, files without a row are orphans. */
    private Optional<String> delete(RunRecord run) {
        try {
            new RunDirectory(context.home().keptFiles(run.id())).delete();
            context.home().run(run.id()).delete();
        } catch (IOException e) {
            return Optional.of("its files in %s cannot be removed: %s"
                    .formatted(context.home().run(run.id()).path(), e.getMessage()));
        }
        // if the row stays, the run's shared files can restore what it needs here
        return context.ledger().remove(run.id())
                ? Optional.empty()
                : Optional.of("it was continued or removed from another node meanwhile");
    }

    private long size(RunRecord run) {
        long size = size(context.home().run(run.id()).path());
        if (run.work().isEmpty()) return size;
        return size
                + size(context.home().worktree(run.id()))
                + size(context.home().keptFiles(run.id()));
    }

    private static long size(Path directory) {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) return 0;
        try (var files = Files.walk(directory)) {
            long size = 0;
            for (var file : (Iterable<Path>) files::iterator)
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) size += Files.size(file);
            return size;
        } catch (IOException | UncheckedIOException e) {
            return 0; // another process is removing it
        }
    }
}
