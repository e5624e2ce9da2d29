package dev.roost.ledger;

import dev.roost.run.Owner;
import java.util.List;
import java.util.Optional;

/**
 * What happens to all runs, in the order in which it was committed: a later event has a greater number, and who has seen one
 * has missed none before it. What was removed with its run is not there any more.
 */
public interface Happenings {

    /** Some of what happened, and up to which number nothing else did. */
    record Page(List<Happening> events, long upTo) {}

    /** What happened after {@code seq} to runs of {@code owner}, or of anybody; {@code most} at a time. */
    Page after(long seq, Optional<Owner> owner, int most);

    /** The greatest number that was ever given; 0 if there was none. */
    long newest();
}
