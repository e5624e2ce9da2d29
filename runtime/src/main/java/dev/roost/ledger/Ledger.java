package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs, attempts, events and notices. A write has happened, durably, when its method returns; a write that comes too
 * late for its attempt changes nothing and says so with {@code false} or an empty answer.
 */
public interface Ledger extends AutoCloseable {

    /** Accepts a run: queued, attempt 1. Refused if that is one too many and {@code caps} say so. */
    Run submit(NewRun run, Caps caps);

    /**
     * Finds the next queued run a slot and makes it running; empty if nothing is queued or no slot is free. The owner
     * with the fewest live runs comes first, then the oldest run.
     */
    Optional<Run> claimNext(Caps caps);

    /** The attempt's processes are there. */
    boolean began(RunId run, int attempt, Began began);

    /** Output was read up to here. */
    boolean progressed(RunId run, int attempt, Position position);

    /** Ends a queued run, marks a running one as stopping, leaves an ended one alone; the run as it then is. */
    Optional<Run> requestStop(RunId run, Stop stop);

    /**
     * Ends the attempt: state, result, freed slot and notice in one transaction. False if this attempt no longer holds
     * the run; the late news is then kept as an event.
     */
    boolean finish(RunId run, int attempt, End end);

    /** output.md of this ended attempt has its last lines. */
    void sealed(RunId run, int attempt);

    /** The owner has been given this end: clears {@code unread} and acknowledges its notice. */
    boolean read(RunId run, int attempt);

    /** Adds a line to the run's timeline. */
    void note(RunId run, int attempt, String kind, String text);

    /** Acknowledges pending notices of {@code owner}, or anybody's if empty; those that were still pending. */
    List<Long> acknowledge(List<Long> notices, Optional<Owner> owner);

    Optional<Run> find(RunId run);

    List<Run> list(Query query);

    /** Runs whose id begins with {@code text}, or whose name is {@code text}; newest first. */
    List<Run> named(String text, Optional<Owner> owner);

    List<Attempt> attempts(RunId run);

    Optional<String> result(RunId run, int attempt);

    List<Event> events(RunId run);

    /** Notices that nobody has acknowledged, oldest first. */
    List<Notice> pending(Optional<Owner> owner);

    /** Every notice ever written about this run. */
    List<NoticeTrace> noticesOf(RunId run);

    /** Ended attempts whose output.md still lacks its last lines. */
    List<Run> unsealed();

    /** Forgets an ended run and all that belongs to it; a live one is left alone. */
    boolean remove(RunId run);

    /** Writes a copy that could take this ledger's place, while it is in use. */
    void backUp(Path copy);

    /** What is wrong with the store itself, if anything is. */
    Optional<String> damage();

    /** Called after each commit, on the writing thread, with the runs it touched: must be quick. */
    void onCommit(Consumer<Set<RunId>> listener);

    @Override
    void close();
}
