package dev.roost.node;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.sharedfiles.SharedFileName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The other nodes that share the ledger, and what the nodes share besides it. The defaults are those of a single node. */
public interface Cluster extends AutoCloseable {

    Cluster NONE = new Cluster() {};

    /** Whether this home is part of a cluster. */
    default boolean isClustered() {
        return false;
    }

    /** Whether this node owns the run's latest attempt. */
    default boolean owns(RunRecord run) {
        return true;
    }

    /** Whether the start request for this run has not reached this node yet. Until then recovery must not start the run. */
    default boolean isPendingStart(RunId run) {
        return false;
    }

    /** Whether some node has this directory. */
    default boolean isReachable(Path directory) {
        return directory.isAbsolute() && Files.isDirectory(directory);
    }

    /** The caps on live runs, over all nodes. */
    default Caps caps(Caps own) {
        return own;
    }

    /** Gives free slots to queued runs and places the runs on nodes. Returns those of this node, at most {@code most}. */
    default List<RunRecord> claim(Ledger ledger, Caps caps, int most) {
        return ledger.claim(caps, most);
    }

    /** Returns after every run that could be placed at the time of the call has been placed. */
    default void placeQueued(Caps caps) {}

    /** Stores the order of an attempt, before it is queued, for the node that will start it. Refused if no node can. */
    default void putOrder(RunId run, int attempt, AttemptOrder order) {
        throw new IllegalStateException("a home outside a cluster has no other node to run the order");
    }

    /** Called by the submitter once the attempt is queued, or will never be. */
    default void discardOrder(RunId run, int attempt) {}

    /** The stored order of an attempt. */
    default Optional<AttemptOrder> getOrder(RunId run, int attempt) {
        return Optional.empty();
    }

    /** Whether another node has repositories. If none has, the repository of a directory need not be looked up. */
    default boolean otherNodesHaveRepositories() {
        return false;
    }

    /** This node's checkout of the repository with this key. */
    default Optional<Path> checkout(String key) {
        return Optional.empty();
    }

    /** Whether a node other than {@code node} can execute the order, now or once it is back. */
    default boolean canRunWithout(String node, AttemptOrder order) {
        return false;
    }

    /** Whether the node has a valid lease. */
    default boolean isNodeAlive(String node) {
        return true;
    }

    /** Whether the cluster has this node, live or not. A node that was forgotten does not come back with its runs. */
    default boolean isNodeKnown(String node) {
        return true;
    }

    /** Why no node starts a queued run, or why a live run's node does not answer. Runs without a known reason are absent. */
    default Map<RunId, String> waitReasons(Collection<RunRecord> runs) {
        return Map.of();
    }

    /** The minimum time between two uploads of a live run's conversation. */
    default Duration uploadInterval() {
        return Duration.ofSeconds(30);
    }

    /** The environment variables of this machine. */
    default Map<String, String> machineEnvironment() {
        return System.getenv();
    }

    /**
     * Uploads a transfer bundle of a run for other nodes, replacing the one of the same name; false if a later attempt owns the
     * run.
     */
    default boolean upload(RunId run, int attempt, boolean ended, SharedFileName name, InputStream bundle)
            throws IOException {
        return false;
    }

    /** The names of the uploaded transfer bundles of a run. */
    default Set<SharedFileName> uploaded(RunId run) {
        return Set.of();
    }

    default Optional<InputStream> download(RunId run, SharedFileName name) throws IOException {
        return Optional.empty();
    }

    /** The name of this node in the cluster. */
    default String self() {
        return "";
    }

    /**
     * Makes this node the only writer of the run's shared output, from the given position on. {@code ended}: only to add the
     * last lines to an ended attempt, possibly of another node.
     */
    default void becomeWriter(RunId run, int attempt, boolean ended, StreamPosition at) throws IOException {}

    /** Ends this node's writing to the run's files. The remaining bytes are still uploaded. */
    default void stopWriting(RunId run) {}

    /** Reports that the run's output grew. May be called from any thread; returns at once. */
    default void outputGrew(RunId run) {}

    /** Waits until all output is uploaded; false after a timeout. The upload continues even then. */
    default boolean flush(RunId run, Duration within) {
        return true;
    }

    /**
     * Downloads the files of a run of another node into this home, as far as they are uploaded. Does nothing once {@code
     * writes} says that this node writes them.
     */
    default void fetch(RunRecord run, BooleanSupplier writes) throws IOException {}

    /** The same for a caller that is about to become the writer. */
    default void fetch(RunRecord run) throws IOException {
        fetch(run, () -> false);
    }

    /** Removes the shared files of runs that any node has pruned. */
    default void deletePrunedFiles() {}

    /** Whether another live node could continue the run. */
    default boolean canRelocate(RunRecord run) {
        return false;
    }

    /** All nodes, for operators. */
    default NodeDirectory nodeDirectory() {
        return NodeDirectory.NONE;
    }

    /** Joins the cluster: from now on {@code attempts} receives the changes by other nodes. */
    default void join(AttemptControl attempts) {}

    /** Accepts no more runs. The files of local runs can still be shared. */
    default void stopAccepting() {}

    @Override
    default void close() {}
}
