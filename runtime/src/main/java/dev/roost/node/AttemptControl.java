package dev.roost.node;

import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Predicate;

/** Controls the attempts of this node, on changes by other nodes. */
public interface AttemptControl {

    /** Starts a run that was placed on this node. Returns once its loop runs, or after a failure, which the sweep retries. */
    void start(RunId run);

    /** Re-reads the state of these runs: another node may have accepted a message or a stop for one. */
    void refresh(Collection<RunId> runs);

    /** Kills local attempts that other nodes took over while no daemon was here; only before recovery. */
    void killForeign() throws IOException;

    /** Kills local attempts that another node owns now. Returns at once, without waiting for the kills or the ledger. */
    void releaseForeign();

    /** Stops the local attempts that can continue on another node. Called repeatedly; does not wait. */
    void drain();

    /** The number of live attempts on this node. */
    int count();

    /** {@code node} has not renewed its lease since {@code heard}; {@code unstarted}: it did not start the attempt. */
    record LostNode(String node, Instant heard, boolean unstarted) {}

    /** Ends the attempt of a lost node; {@code finish} is false if the attempt has ended meanwhile. */
    void takeOver(RunRecord run, LostNode loss, Predicate<AttemptEnd> finish);
}
