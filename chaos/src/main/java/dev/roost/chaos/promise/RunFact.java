package dev.roost.chaos.promise;

import java.util.Collection;
import java.util.Set;

/** One thing that an observer saw. Where the ledger's word can be compared with what really happened, a fact has both. */
public sealed interface RunFact {

    /** A client got the id of its run. A list that was begun before may lack it. */
    record Accepted(String run) implements RunFact {}

    /** The ledger has these runs. {@code closed}: the clients know all of them, because each start was answered. */
    record Listed(Set<String> runs, boolean closed) implements RunFact {}

    /** Outside of the ledger these runs have left something; {@code each}: every run leaves it. */
    record Traced(String what, Set<String> runs, boolean each) implements RunFact {}

    /** The state of a run; {@code end}: all that must not change any more, empty while it is live. */
    record Reported(String run, int attempt, String status, String end) implements RunFact {}

    /** The live processes of a run that was reported before. They may lag. */
    record Processes(String run, Collection<?> alive) implements RunFact {}

    /** The notices of an attempt's end; {@code due}: it has ended, and no other attempt follows by itself. */
    record Notified(String run, int attempt, long count, boolean due) implements RunFact {}

    /** An attempt ended like this, and what happened to its agent allows only these ends. */
    record Ended(String run, int attempt, String end, Set<String> possible) implements RunFact {}

    /** An amount with limits. */
    record Amount(Promise promise, String run, String what, long amount, long least, long most) implements RunFact {

        public Amount(Promise promise, String run, String what, long amount, long most) {
            this(promise, run, what, amount, 0, most);
        }
    }

    /** An answer of which only one is right. */
    record Answer(Promise promise, String run, String question, String answer, String right) implements RunFact {}

    /** A fact that may be wrong for a moment. */
    record Lag(RunFact fact) implements RunFact {}
}
