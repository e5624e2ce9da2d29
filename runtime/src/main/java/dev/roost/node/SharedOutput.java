package dev.roost.node;

import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The files of runs that all nodes can read: output, transcripts, results and transfer bundles. By default nothing is shared. */
public interface SharedOutput {

    /** The minimum time between two uploads of a live run's conversation; empty if no other node needs transfer bundles. */
    default Optional<Duration> uploadInterval() {
        return Optional.empty();
    }

    /** Uploads a file of a run, replacing the one of the same name; false if a later attempt owns the run. */
    default boolean upload(RunId run, int attempt, boolean ended, SharedFileName name, InputStream content)
            throws IOException {
        return false;
    }

    /** The names of the uploaded transfer bundles of a run. */
    default Set<SharedFileName> uploaded(RunId run) {
        return Set.of();
    }

    default Optional<InputStream> download(RunId run, SharedFileName name) {
        return Optional.empty();
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
}
