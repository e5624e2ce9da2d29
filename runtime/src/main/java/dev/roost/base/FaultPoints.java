package dev.roost.base;

import java.util.List;
import java.util.Locale;

/** What goes wrong on purpose, so that a test can see what becomes of a daemon at its worst moment. Usually nothing does. */
public interface FaultPoints {

    FaultPoints NONE = new FaultPoints() {
        @Override
        public void before(List<Step> steps) {}

        @Override
        public void after(List<Step> steps) {}
    };

    /** All is ready for what makes these durable, and nothing of it is yet. A commit may be none of them, or many. */
    void before(List<Step> steps);

    /** They are durable, and nobody has been told. */
    void after(List<Step> steps);

    default void before(Step step) {
        before(List.of(step));
    }

    default void after(Step step) {
        after(List.of(step));
    }

    /** What is durable in the life of a run, one after the other. */
    enum Step {
        /** What an attempt is to do is written to its directory. */
        SPEC,
        SUBMIT,
        CLAIM,
        WORKTREE,
        /** Its perch is sent off. */
        SPAWN,
        /** The ledger knows its processes. */
        START,
        /** Its exit record was seen, and nothing of it is left. */
        EXIT,
        FINISH,
        /** A digest was given to a harness. */
        OFFER,
        ACKNOWLEDGE,
        PRUNE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
