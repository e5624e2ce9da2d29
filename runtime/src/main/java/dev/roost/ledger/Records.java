package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is written of runs and attempts. */
public interface Records {

    /** The run that this call has started already. */
    Optional<Run> startedBy(String callKey);

    Optional<Run> find(RunId run);

    List<Run> list(Query query);

    /** Runs that ended before then, the oldest first. */
    List<Run> endedBefore(Instant time);

    /** Runs that run here; where several nodes share the ledger, on this one. Oldest first. */
    List<Run> running();

    /** The same, by their ids: there may be thousands, and somebody asks every other second. */
    List<RunId> runningIds();

    /** Live runs, and those that have ended since; newest first. */
    List<Run> since(Instant since, Optional<Owner> owner);

    /**
     * Runs whose id begins with {@code text}, or whose name or conversation's id is {@code text}: those with the name first,
     * then the newest, twenty of them at most.
     */
    List<Run> named(String text, Optional<Owner> owner);

    List<Attempt> attempts(RunId run);

    Optional<String> result(RunId run, int attempt);

    List<Event> events(RunId run);

    /** Ended attempts whose output.md still lacks its last lines, and that are this node's: by itself, or of one that is away. */
    List<Run> unsealed();

    /** This run, if its output.md lacks them, whichever node's it is. */
    Optional<Run> unsealed(RunId run);
}
