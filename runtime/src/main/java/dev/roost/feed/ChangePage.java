package dev.roost.feed;

import dev.roost.ledger.record.RunRecord;
import java.util.List;

/**
 * Runs that changed, as they are now.
 *
 * @param position to ask from the next time
 * @param again what changed is not known (any more): look at everything
 */
public record ChangePage(String position, List<RunRecord> runs, List<String> removed, boolean again) {

    boolean isNews() {
        return again || !runs.isEmpty() || !removed.isEmpty();
    }
}
