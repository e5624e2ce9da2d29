package dev.roost.node;

import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** Decides which node starts a run, and when. */
public interface RunPlacement {

    /** Whether some node has this directory. */
    boolean isReachable(Path directory);

    /**
     * Refuses a run that no node can start, as far as that is known before its order is stored. {@code checkProgram} refuses it if
     * this machine lacks its program.
     */
    void check(Set<String> tags, Runnable checkProgram);

    /** A directory or worktree on this node, or the {@code source} by which the node that starts the run finds its own. */
    record RunPlace(
            Path cwd,
            Optional<WorktreeRecord.WorktreePlace> worktree,
            Optional<AttemptOrder.RepositorySource> source) {}

    /**
     * The place of a run that was requested in {@code cwd}. Throws if it wants a worktree and that directory is here and cannot
     * have one. {@code isShared}: whether other clones of a repository have a commit.
     */
    RunPlace place(RunId run, Path cwd, boolean worktree, BiPredicate<Path, String> isShared);

    /** This node's checkout of the repository with this key. */
    default Optional<Path> checkout(String key) {
        return Optional.empty();
    }

    /** The caps on live runs, over all nodes. */
    default Caps caps(Caps own) {
        return own;
    }

    /** Gives free slots to queued runs and places the runs on nodes. Returns the claimed runs that the caller must start. */
    List<RunRecord> claim(Caps caps, int most);

    /** Whether the start request for this run has not reached this node yet. Until then recovery must not start the run. */
    default boolean isPendingStart(RunId run) {
        return false;
    }

    /** Why no node starts a queued run, or why a live run's node does not answer. Runs without a known reason are absent. */
    default Map<RunId, String> waitReasons(Collection<RunRecord> runs) {
        return Map.of();
    }

    /** Whether a node other than {@code node} can execute the order: {@code now}, or else once it is back. */
    default boolean canRunWithout(String node, AttemptOrder order, boolean now) {
        return false;
    }
}
