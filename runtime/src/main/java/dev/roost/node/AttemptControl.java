package dev.roost.node;

import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.RunId;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Predicate;

/** The attempts that this node leads, as its peers' news concern them. */
public interface AttemptControl {

    /** A run was given to this node to begin. Returns when somebody leads it, or when that failed and is left to the sweep. */
    void start(RunId run);

    /** Something happened to these runs elsewhere: somebody may have written to one, or stopped it. */
    void refresh(Collection<RunId> runs);

    /** Ends what is here and is another node's by now. Whoever calls does not wait for that, nor for the ledger. */
    void releaseForeign();

    /** This node is to be emptied: stops what is led here and can go on elsewhere. To be called again and again, without waiting. */
    void drain();

    /** Gives out free slots. */
    void claimQueued();

    /** How many are led. */
    int count();

    /** {@code node} has not been heard of since then; {@code unstarted} if it never came to begin the attempt. */
    record LostNode(String node, Instant heard, boolean unstarted) {}

    /** Ends the attempt of a node that is gone; {@code finish} says whether that was in time. */
    void takeOver(RunRecord run, LostNode loss, Predicate<AttemptEnd> finish);
}
