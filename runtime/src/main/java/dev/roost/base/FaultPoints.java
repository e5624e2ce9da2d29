package dev.roost.base;

import java.util.List;
import java.util.Locale;

/** Places at which a test makes the daemon die or fail. Outside of tests they do nothing. */
public interface FaultPoints {

    FaultPoints NONE = new FaultPoints() {
        @Override
        public void before(List<Step> steps) {}

        @Override
        public void after(List<Step> steps) {}
    };

    /** Called just before these steps become durable; none is durable yet. A commit may hold none or many. */
    void before(List<Step> steps);

    /** Called after these steps became durable, before any caller or listener is notified. */
    void after(List<Step> steps);

    default void before(Step step) {
        before(List.of(step));
    }

    default void after(Step step) {
        after(List.of(step));
    }

    /** The durable steps in the life of a run, in order. */
    enum Step {
        /** The attempt's spec is written to its directory. */
        SPEC,
        SUBMIT,
        CLAIM,
        WORKTREE,
        /** The attempt's perch is started. */
        SPAWN,
        /** The ledger has the attempt's processes. */
        START,
        /** The exit record was read, and no process of the attempt is left. */
        EXIT,
        FINISH,
        /** A digest was delivered to a harness. */
        OFFER,
        ACKNOWLEDGE,
        PRUNE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
