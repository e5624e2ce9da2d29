package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
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
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * Runs, attempts, events and notices. A write has happened, durably, when its method returns; a write that comes too
 * late for its attempt changes nothing and says so with {@code false} or an empty answer.
 */
public interface Ledger extends AutoCloseable {

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

    /** Keeps a message for a running attempt; empty if it is not running. */
    Optional<Letter> post(RunId run, int attempt, Letter.Kind kind, Optional<String> questionId, Words words);

    /** What is said to a run, by whom; a call that is made again has the same {@code callKey}. */
    record Words(String body, String sender, Optional<String> callKey) {}

    /** The run to which this call has said its words already. */
    Optional<Run> toldBy(String callKey);

    /** What was said to an attempt, oldest first; delivered is what a line was sent for. */
    List<Letter> letters(RunId run, int attempt);

    /** Ended runs to which somebody said something that came too late for their latest attempt. */
    List<Run> withLateWords();

    /** Gives each line its number, once by its key; those that are new. The first number is 2: 1 went in with the start. */
    List<Line> send(RunId run, int attempt, List<Line> lines);

    /** All lines sent, in order. */
    List<Line> sent(RunId run, int attempt);

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

    /** The owner has been given this end: clears {@code unread} and acknowledges its notice. */
    boolean read(RunId run, int attempt);

    /** Adds a line to the run's timeline. */
    void note(RunId run, int attempt, EventKind kind, String text);

    /** Acknowledges pending notices of {@code owner}, or anybody's if empty; those that were still pending. */
    List<Long> acknowledge(List<Long> notices, Optional<Owner> owner);

    /** The run that this call has started already. */
    Optional<Run> startedBy(String callKey);

    /**
     * Takes in what a harness reports, and says what is now to be put before that session: once a turn, and again in a later
     * turn if it was not seen to arrive. A turn that would end is continued only if {@code mayContinue}.
     */
    Heard hear(Report report, BiPredicate<Parent, List<Notice>> mayContinue);

    /** A digest with which an idle session is woken, if {@code mayWake}. */
    Optional<Offer> wake(Owner owner, BiPredicate<Parent, List<Notice>> mayWake);

    /** The harness has been given this offer: from now on it counts as made. */
    boolean written(long offer);

    /** Nobody took this offer, so it does not count; one that was written stays. */
    boolean withdraw(long offer);

    /** Gives live and unread runs of a session that is over, and its pending notices, to the one that follows it. */
    List<RunId> rehome(Owner from, Owner to);

    /** Gives these runs and their pending notices to another owner. */
    void adopt(List<RunId> runs, Owner to);

    Optional<Parent> parent(Owner owner);

    /** The session, if it was last heard of on this node: nobody else can wake it. */
    Optional<Parent> parentHere(Owner owner);

    /** The session that was last heard of in this process. */
    Optional<Parent> parentIn(Parent.Harness process);

    List<Parent> parents();

    /** What this owner's session has not been told in its present turn. */
    List<Notice> untold(Owner owner);

    void addToken(Token token);

    /** The token whose secret has this hash. */
    Optional<Token> token(String sha256);

    /** All tokens, oldest first. */
    List<Token> tokens();

    /** The token let somebody in just now; false if it is gone. */
    boolean tokenUsed(String id);

    /** Lets nobody in with it any more; false if there is none with this id. */
    boolean revokeToken(String id);

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

    /** Runs whose id begins with {@code text}, or whose name is {@code text}; newest first. */
    List<Run> named(String text, Optional<Owner> owner);

    List<Attempt> attempts(RunId run);

    Optional<String> result(RunId run, int attempt);

    List<Event> events(RunId run);

    /** Notices that nobody has acknowledged, oldest first. */
    List<Notice> pending(Optional<Owner> owner);

    /** Every notice ever written about this run. */
    List<NoticeTrace> noticesOf(RunId run);

    /** Ended attempts whose output.md still lacks its last lines, and that are this node's: by itself, or of one that is away. */
    List<Run> unsealed();

    /** This run, if it is one of those. */
    Optional<Run> unsealed(RunId run);

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
