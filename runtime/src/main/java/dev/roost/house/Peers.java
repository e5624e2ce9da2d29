package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.run.Caps;
import dev.roost.run.RunId;
import dev.roost.shelf.ShelfName;
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
public interface Peers extends AutoCloseable {

    Peers NONE = new Peers() {};

    /** Whether there can be others at all. */
    default boolean any() {
        return false;
    }

    /** Whether this node has the run's latest attempt. */
    default boolean isOurs(Run run) {
        return true;
    }

    /** Whether this node is still to be told to begin the run; whoever finds it before that must not. */
    default boolean isWaiting(RunId run) {
        return false;
    }

    /** Whether somebody has this directory. */
    default boolean reach(Path directory) {
        return directory.isAbsolute() && Files.isDirectory(directory);
    }

    /** How many runs may be live at once, on all nodes. */
    default Caps caps(Caps own) {
        return own;
    }

    /** Finds queued runs their slots, and gives them to whoever is to begin them; those that are ours, {@code most} of them. */
    default List<Run> claim(Ledger ledger, Caps caps, int most) {
        return ledger.claim(caps, most);
    }

    /** Returns when all that could be given out when this was called has been. */
    default void giveOut(Caps caps) {}

    /** Keeps what an attempt is to do, from when it is queued, for the node that will begin it. Refused if none could. */
    default void order(RunId run, int attempt, Wish wish) {
        throw new IllegalStateException("nobody takes orders");
    }

    /** It is queued, or never will be: whoever ordered it says so. */
    default void dropped(RunId run, int attempt) {}

    /** What an attempt is to do. */
    default Optional<Wish> ordered(RunId run, int attempt) {
        return Optional.empty();
    }

    /** Whether some node besides this one has repositories, so that it is worth finding out in which one somebody is. */
    default boolean haveRepositories() {
        return false;
    }

    /** The checkout that this node has of a repository, by its key. */
    default Optional<Path> checkout(String key) {
        return Optional.empty();
    }

    /** Whether a node other than that could do it, now or when it is back. */
    default boolean couldDoWithout(String node, Wish wish) {
        return false;
    }

    /** Whether the node is heard of at the moment. */
    default boolean isHeard(String node) {
        return true;
    }

    /** Whether there is such a node, be it away: one that was forgotten does not come back with what it had. */
    default boolean isKnown(String node) {
        return true;
    }

    /** Why nobody begins these runs, or why the node of one does not answer, for those of which that can be said. */
    default Map<RunId, String> waits(Collection<Run> runs) {
        return Map.of();
    }

    /** How often at most the conversation of a run that works is put where others find it. */
    default Duration packEvery() {
        return Duration.ofSeconds(30);
    }

    /** What the environment of this machine is. */
    default Map<String, String> machine() {
        return System.getenv();
    }

    /**
     * Keeps luggage of a run where other nodes find it, instead of what was there of that name; false if the run is another
     * attempt's by now.
     */
    default boolean stow(RunId run, int attempt, boolean ended, ShelfName name, InputStream luggage)
            throws IOException {
        return false;
    }

    /** Which luggage of a run there is. */
    default Set<ShelfName> stowed(RunId run) {
        return Set.of();
    }

    default Optional<InputStream> unload(RunId run, ShelfName name) throws IOException {
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
    default void lead(RunId run, int attempt, boolean ended, Position at) throws IOException {}

    /** Nobody here adds to its files any more; what the others lack of them is still sent. */
    default void leave(RunId run) {}

    /** There is more of what the run says. To be called from anywhere, and at once back. */
    default void grew(RunId run) {}

    /** Returns when the others can read all that the run has said; false if that takes longer. It is sent nevertheless. */
    default boolean flush(RunId run, Duration within) {
        return true;
    }

    /**
     * Brings the files of a run that another node has, as far as they are there, into this home; nothing once somebody here
     * {@code writes} to them.
     */
    default void fetch(Run run, BooleanSupplier writes) throws IOException {}

    /** The same for whoever is about to write to them. */
    default void fetch(Run run) throws IOException {
        fetch(run, () -> false);
    }

    /** What is shared of runs that were pruned is removed, whoever has pruned them. */
    default void forgetPruned() {}

    /** Whether another node that is there could go on with the run. */
    default boolean couldGoElsewhere(Run run) {
        return false;
    }

    /** All nodes, for their operators. */
    default Nodes roster() {
        return Nodes.NONE;
    }

    /** From now on others may ask {@code led} for what concerns this node. */
    default void join(Led led) {}

    /** Takes nothing on any more; what is here can still be shared. */
    default void retire() {}

    @Override
    default void close() {}
}
