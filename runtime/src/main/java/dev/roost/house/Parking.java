package dev.roost.house;

import dev.roost.agents.Heard;
import dev.roost.agents.Said;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** How long a run waits when the model's provider takes no more. */
final class Parking {

    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofMinutes(30);

    /** No provider's limit lasts longer; a time beyond is a number that went wrong. */
    private static final Duration FARTHEST = Duration.ofDays(60);

    private Parking() {}

    /** Until the provider says, else a little longer each time; by the clock that says when it is over. */
    static Instant until(Rooms rooms, Run run, Heard heard) {
        var now = rooms.ledger().time();
        return heard.limit()
                .flatMap(Said.Limited::until)
                .filter(now::isBefore)
                .filter(now.plus(FARTHEST)::isAfter)
                .orElseGet(() -> now.plus(pause(rooms, run)));
    }

    private static Duration pause(Rooms rooms, Run run) {
        long before = rooms.ledger().runs().attempts(run.id()).stream()
                .filter(attempt -> attempt.turn() == run.latest().turn())
                .filter(attempt -> attempt.cause().equals(Optional.of(Cause.RATE_LIMITED)))
                .count();
        var longer = FIRST.multipliedBy(1L << Math.min(before, 10));
        return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
