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

/** The other nodes that share this one's ledger, and what is shared with them beside it. By default there are none. */
public interface Cluster extends AutoCloseable {

    Cluster NONE = new Cluster() {};

    /** Whether there can be others at all. */
    default boolean isClustered() {
        return false;
    }

    /** Whether this node has the run's latest attempt. */
    default boolean owns(RunRecord run) {
        return true;
    }

    /** Whether this node is still to be told to begin the run; whoever finds it before that must not. */
    default boolean isPendingStart(RunId run) {
        return false;
    }

    /** Whether somebody has this directory. */
    default boolean isReachable(Path directory) {
        return directory.isAbsolute() && Files.isDirectory(directory);
    }

    /** How many runs may be live at once, on all nodes. */
    default Caps caps(Caps own) {
        return own;
    }

    /** Finds queued runs their slots, and gives them to whoever is to begin them; those that are ours, {@code most} of them. */
    default List<RunRecord> claim(Ledger ledger, Caps caps, int most) {
        return ledger.claim(caps, most);
    }

    /** Returns when all that could be given out when this was called has been. */
    default void placeQueued(Caps caps) {}

    /** Keeps what an attempt is to do, from when it is queued, for the node that will begin it. Refused if none could. */
    default void putOrder(RunId run, int attempt, AttemptOrder order) {
        throw new IllegalStateException("nobody takes orders");
    }

    /** It is queued, or never will be: whoever ordered it says so. */
    default void discardOrder(RunId run, int attempt) {}

    /** What an attempt is to do. */
    default Optional<AttemptOrder> getOrder(RunId run, int attempt) {
        return Optional.empty();
    }

    /** Whether some node besides this one has repositories, so that it is worth finding out in which one somebody is. */
    default boolean otherNodesHaveRepositories() {
        return false;
    }

    /** The checkout that this node has of a repository, by its key. */
    default Optional<Path> checkout(String key) {
        return Optional.empty();
    }

    /** Whether a node other than that could do it, now or when it is back. */
    default boolean canRunWithout(String node, AttemptOrder order) {
        return false;
    }

    /** Whether the node is heard of at the moment. */
    default boolean isNodeAlive(String node) {
        return true;
    }

    /** Whether there is such a node, be it away: one that was forgotten does not come back with what it had. */
    default boolean isNodeKnown(String node) {
        return true;
    }

    /** Why nobody begins these runs, or why the node of one does not answer, for those of which that can be said. */
    default Map<RunId, String> waitReasons(Collection<RunRecord> runs) {
        return Map.of();
    }

    /** How often at most the conversation of a run that works is put where others find it. */
    default Duration uploadInterval() {
        return Duration.ofSeconds(30);
    }

    /** What the environment of this machine is. */
    default Map<String, String> machineEnvironment() {
        return System.getenv();
    }

    /**
     * Keeps luggage of a run where other nodes find it, instead of what was there of that name; false if the run is another
     * attempt's by now.
     */
    default boolean upload(RunId run, int attempt, boolean ended, SharedFileName name, InputStream luggage)
            throws IOException {
        return false;
    }

    /** Which luggage of a run there is. */
    default Set<SharedFileName> uploaded(RunId run) {
        return Set.of();
    }

    default Optional<InputStream> download(RunId run, SharedFileName name) throws IOException {
        return Optional.empty();
    }

    /** The name that this node has among the others. */
    default String self() {
        return "";
    }

    /** The key that signs tokens, as it is now; empty where a token is known by its row alone. */
    default Optional<TokenKey> tokenKey() {
        return Optional.empty();
    }

    /** Puts another key in its place and revokes all tokens, in one: how many those were. */
    default int rotateTokenKey() {
        throw new IllegalStateException("there is no key");
    }

    /**
     * From now on this node alone writes what the run says, beginning there; {@code ended} to add the last lines to an attempt
     * that is over, be it that another node had it.
     */
    default void becomeWriter(RunId run, int attempt, boolean ended, StreamPosition at) throws IOException {}

    /** Nobody here adds to its files any more; what the others lack of them is still sent. */
    default void stopWriting(RunId run) {}

    /** There is more of what the run says. To be called from anywhere, and at once back. */
    default void outputGrew(RunId run) {}

    /** Returns when the others can read all that the run has said; false if that takes longer. It is sent nevertheless. */
    default boolean flush(RunId run, Duration within) {
        return true;
    }

    /**
     * Brings the files of a run that another node has, as far as they are there, into this home; nothing once somebody here
     * {@code writes} to them.
     */
    default void fetch(RunRecord run, BooleanSupplier writes) throws IOException {}

    /** The same for whoever is about to write to them. */
    default void fetch(RunRecord run) throws IOException {
        fetch(run, () -> false);
    }

    /** What is shared of runs that were pruned is removed, whoever has pruned them. */
    default void deletePrunedFiles() {}

    /** Whether another node that is there could go on with the run. */
    default boolean canRelocate(RunRecord run) {
        return false;
    }

    /** All nodes, for their operators. */
    default NodeDirectory nodeDirectory() {
        return NodeDirectory.NONE;
    }

    /** From now on others may ask {@code led} for what concerns this node. */
    default void join(AttemptControl attempts) {}

    /** Takes nothing on any more; what is here can still be shared. */
    default void stopAccepting() {}

    @Override
    default void close() {}
}
