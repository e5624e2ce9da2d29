package dev.roost.feed;

import dev.roost.ledger.record.RunRecord;
import java.util.List;

/**
 * Runs that changed, in their current state.
 *
 * @param position the position for the next query
 * @param again the changes since the position are unknown: read all runs again
 */
public record ChangePage(String position, List<RunRecord> runs, List<String> removed, boolean again) {

    boolean hasChanges() {
        return again || !runs.isEmpty() || !removed.isEmpty();
    }
}
