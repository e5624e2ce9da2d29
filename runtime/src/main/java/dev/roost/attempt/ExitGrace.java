package dev.roost.attempt;

import dev.roost.base.Clock;
import dev.roost.model.ProcessId;
import dev.roost.process.ProcessTree;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;

/** An agent that has said its last word may take a moment to go; then it is helped. */
final class ExitGrace {

    /** Who goes sooner than this does not linger. */
    private static final Duration A_MOMENT = Duration.ofMillis(100);

    private static final Duration ASKED_AFTER = Duration.ofSeconds(1);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final Clock clock;
    private final ProcessTree tree;
    private long since = -1;
    private boolean asked;

    ExitGrace(Clock clock, ProcessTree tree) {
        this.clock = clock;
        this.tree = tree;
    }

    /** What it says after its last word takes that back. */
    void watch(boolean saidLastWord) {
        if (!saidLastWord) {
            since = -1;
            asked = false;
        } else if (since < 0) since = clock.monotonicNanos();
    }

    private boolean passed(Duration time) {
        return since >= 0 && clock.monotonicNanos() - since >= time.toNanos();
    }

    boolean isLingering() {
        return passed(A_MOMENT);
    }

    OptionalLong due() {
        if (since < 0) return OptionalLong.empty();
        var next = !isLingering() ? A_MOMENT : !asked ? ASKED_AFTER : GRACE;
        return OptionalLong.of(since + next.toNanos());
    }

    void escalate(ProcessId perch, ProcessId agent) {
        if (!asked && passed(ASKED_AFTER)) {
            asked = true;
            ProcessTree.terminate(agent);
        }
        if (passed(GRACE)) tree.kill(Set.of(perch)); // the perch stays, to record how it ended
    }
}
