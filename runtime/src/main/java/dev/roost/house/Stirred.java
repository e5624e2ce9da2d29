package dev.roost.house;

import dev.roost.ledger.Run;
import java.util.List;

/**
 * Runs that changed, as they are now.
 *
 * @param position to ask from the next time
 * @param again what changed is not known (any more): look at everything
 */
public record Stirred(String position, List<Run> runs, List<String> removed, boolean again) {

    boolean isNews() {
        return again || !runs.isEmpty() || !removed.isEmpty();
    }
}
