package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Runs, attempts, events and notices. A write has happened, durably, when its method returns; a write that comes too
 * late for its attempt changes nothing and says so with {@code false} or an empty answer.
 */
public interface Ledger extends Records, AutoCloseable {

    /** Accepts a run: queued, attempt 1. Refused if that is one too many and {@code caps} say so. */
    Run submit(NewRun run, Caps caps);

    /**
     * Takes in a run that had its only attempt elsewhere, as over and as read: nobody is told of it. The run that this
     * {@code callKey} brought in before, if it did.
     */
    Run bringIn(NewRun run, Past past);

    /**
     * Finds queued runs a slot each and makes them running, {@code most} of them; none if nothing is queued or no slot is
     * free. The owner with the fewest live runs comes first, then the oldest run.
     */
    List<Run> claim(Caps caps, int most);

    default Optional<Run> claimNext(Caps caps) {
        return claim(caps, 1).stream().findFirst();
    }

    /** By the clock that says until when a run is parked. */
    Instant time();

    /** The attempt's processes are there. */
    boolean began(RunId run, int attempt, Began began);

    /** The attempt has come this far. */
    boolean progressed(RunId run, int attempt, Progress progress);

    /** Where a running attempt is; a question comes with its notice. Changes nothing once it is being stopped. */
    boolean phase(RunId run, int attempt, Phase phase, Optional<Question> question);

    /**
     * Queues the next attempt of an ended run, whose words are added {@code from} there on; empty if {@code attempt} is not
     * its latest, or has not ended.
     */
    Optional<Run> continueAfter(RunId run, int attempt, String by, Optional<String> callKey, Position from);

    /** What an owner's runs used on the day of now. */
    Usage spentToday(Owner owner);

    /** Ends a queued run, marks a running one as stopping, leaves an ended one alone; the run as it then is. */
    Optional<Run> requestStop(RunId run, Stop stop);

    /** The same for one attempt; a run that has another by now is left alone. */
    void requestStop(RunId run, int attempt, Stop stop);

    /**
     * Ends the attempt: state, result, freed slot and notice in one transaction. False if this attempt no longer holds
     * the run; the late news is then kept as an event.
     */
    boolean finish(RunId run, int attempt, End end);

    /** output.md of this ended attempt has its last lines. */
    void sealed(RunId run, int attempt);

    /** Adds a line to the run's timeline. */
    void note(RunId run, int attempt, EventKind kind, String text);

    /** What is said to live attempts. */
    Letters letters();

    /** What owners are to be told. */
    Notices notices();

    /** Who is told, and when. */
    Sessions sessions();

    /** Who is let in. */
    Tokens tokens();

    /** What goes out beside the sessions. */
    Deliveries deliveries();

    /** What is known of runs' worktrees. */
    Works works();

    /** Times in which nobody looked after the runs. */
    Pauses pauses();

    /** What happens to all runs, as it is committed. */
    Happenings happenings();

    /** How much of what there is. */
    Tallies tallies();

    /** Forgets an ended run and all that belongs to it; a live one is left alone. */
    boolean remove(RunId run);

    /** Writes a copy that could take this ledger's place, while it is in use. */
    void backUp(Path copy);

    /** What is wrong with the store itself, if anything is. */
    Optional<String> damage();

    /** How much there is of what, now; of owners only so many, the biggest. */
    Tally tally(int owners);

    /** Makes one write durable that changes nothing anybody reads; throws if that cannot be done. */
    void tryWriting();

    /** What goes wrong on purpose. */
    void disturbedBy(Faults faults);

    /** From now on {@code meters} are told what was made durable. */
    void measuredBy(Meters meters);

    /** Called after each commit, also of others that share the ledger, with the runs it touched: must be quick. On any thread. */
    void onCommit(Consumer<Set<RunId>> listener);

    /** Called in the same way with each owner for whom it wrote a notice. */
    void onNotice(Consumer<Owner> listener);

    @Override
    void close();
}
