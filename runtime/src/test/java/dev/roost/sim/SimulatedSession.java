package dev.roost.sim;

import dev.roost.base.RoostError;
import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A session with its harness and its user: the offers it gets, and the notices its model really reads. */
final class SimulatedSession {

    static final Owner OWNER = new Owner("claude:s1");
    private static final long SECOND = Simulation.SECOND;

    private enum State {
        BUSY,
        IDLE,
        GONE
    }

    private final Simulation simulation;
    private SimulatedMachine.@Nullable SimulatedProcess harness;
    private State state = State.GONE;
    private long epoch; // grows with each action of the user, so that events planned earlier are dropped
    private long promptedAt = -1;
    private Instant interruptedAt = Instant.MIN;
    private boolean known = true; // the daemon got every report
    private boolean inHook;
    private boolean fresh;
    private int unpromptedTurns; // in a row
    private int extraTurns;
    private final Set<Long> deliveredInThisTurn = new HashSet<>();
    private final Set<Long> delivered = new HashSet<>(); // in the model's context, but the model has not continued yet
    private final Set<Long> processed = new HashSet<>();
    private @Nullable SimulatedDaemon listeningTo;

    SimulatedSession(Simulation simulation) {
        this.simulation = simulation;
    }

    void begin() {
        later(0, "the session begins", this::start);
        later(simulation.randomBelow(SECOND), "user prompts", this::userPrompts);
        if (simulation.has(Simulation.Trouble.KILLS) && simulation.oneIn(2))
            later(simulation.randomBelow(4 * SECOND), "harness is killed", this::die);
        later(SECOND / 2, "listen", this::listenAgain);
    }

    /** Schedules work; a harness waits for its hook before it continues. */
    private void later(long wait, String what, Runnable work) {
        simulation.later(wait, what, () -> {
            if (inHook) later(20 * Simulation.MILLI, what, work);
            else work.run();
        });
    }

    private void start() {
        harness = simulation.machine.start(null);
        state = State.IDLE;
        fresh = true;
        startTurn();
        hook(new SessionEvent.SessionStarted());
    }

    private void startTurn() {
        deliveredInThisTurn.clear();
        delivered.clear();
    }

    private void userPrompts() {
        if (simulation.isCalm()) return;
        if (state == State.GONE) {
            if (simulation.oneIn(2)) start();
        } else if (state == State.BUSY) {
            if (simulation.oneIn(2)) interrupt();
        } else prompt(true);
        later(simulation.randomBelow(3 * SECOND), "user prompts", this::userPrompts);
    }

    private void interrupt() {
        epoch++;
        interruptedAt = simulation.now();
        state = State.IDLE;
        if (simulation.oneIn(2)) hook(new SessionEvent.TurnInterrupted());
    }

    private void prompt(boolean byUser) {
        if (byUser) {
            promptedAt = simulation.nanos();
            unpromptedTurns = 0;
            if (!fresh) startTurn();
        }
        fresh = false;
        state = State.BUSY;
        long current = ++epoch;
        later(simulation.randomBelow(SECOND / 2), "tools are done", () -> tools(current));
        hook(new SessionEvent.PromptSubmitted(byUser));
    }

    private boolean isOver(long one) {
        return epoch != one || state != State.BUSY;
    }

    private void tools(long current) {
        if (isOver(current)) return;
        processDelivered();
        later(simulation.randomBelow(SECOND / 2), "turn ends", () -> end(current));
        hook(new SessionEvent.ToolsFinished());
    }

    /** The model continues, so it has read what was delivered. */
    private void processDelivered() {
        processed.addAll(delivered);
        delivered.clear();
    }

    private void end(long current) {
        if (isOver(current)) return;
        processDelivered();
        state = State.IDLE;
        hook(new SessionEvent.TurnEnded(true));
    }

    private void die() {
        epoch++;
        if (harness != null) simulation.machine.end(harness);
        state = State.GONE;
        delivered.clear();
    }

    void reboot() {
        epoch++;
        state = State.GONE;
        delivered.clear();
    }

    /** The harness reports an event and delivers the offer that it gets in return. */
    private void hook(SessionEvent event) {
        boolean knew = known;
        known = false;
        inHook = true;
        try {
            report(event, knew);
        } finally {
            inHook = false;
        }
    }

    private void report(SessionEvent event, boolean knew) {
        simulation.startDaemon();
        var daemon = simulation.daemon().orElse(null);
        if (daemon == null || harness == null) return;
        var process = new OwnerSession.HarnessProcess(harness.id, simulation.machine.bootId());
        try {
            var answer = simulation
                    .ledger
                    .sessions()
                    .record(
                            new SessionReport(OWNER, "claude", Optional.empty(), Optional.of(process), event),
                            (session, undelivered) -> daemon.wakeScheduler
                                    .rules()
                                    .againstAnotherTurn(session, undelivered)
                                    .isEmpty());
            known = knew;
            if (answer.session().state() != OwnerSession.SessionState.IDLE) daemon.wakeScheduler.cancelWait(OWNER);
            if (answer.offer().isEmpty()) return;
            var offer = answer.offer().get();
            simulation.crashPoint();
            if (offer.occasion() == NoticeOffer.Occasion.STOP) startUnpromptedTurn();
            deliver(offer);
            simulation.crashPoint();
            simulation.ledger.sessions().markDelivered(offer.id());
        } catch (RoostError e) {
            simulation.log("the hook had no answer: " + e.code());
        }
    }

    /** Begins a turn without a prompt of the user. */
    private void startUnpromptedTurn() {
        unpromptedTurns++;
        if (known) see("turns without a prompt in a row", unpromptedTurns, 0, Simulation.WAKING.limit());
        startTurn();
        state = State.BUSY;
        long current = ++epoch;
        later(simulation.randomBelow(SECOND / 2), "tools are done", () -> tools(current));
    }

    private void deliver(NoticeOffer offer) {
        for (var notice : offer.notices()) {
            if (simulation.logging()) simulation.log("delivered %s (%s)".formatted(notice.key(), offer.occasion()));
            boolean first = deliveredInThisTurn.add(notice.id());
            if (known) see("deliveries of %s in one turn".formatted(notice.key()), first ? 1 : 2, 0, 1);
            delivered.add(notice.id());
        }
    }

    private void listenAgain() {
        later(SECOND / 2, "listen again", this::listenAgain);
        var daemon = simulation.daemon().orElse(null);
        if (daemon == null || daemon == listeningTo || state != State.IDLE) return;
        listeningTo = daemon;
        try {
            var _ = daemon.wakeScheduler.listen(OWNER).thenAccept(offer -> {
                listeningTo = null;
                offer.ifPresent(this::woken);
            });
        } catch (RoostError e) {
            listeningTo = null;
        }
    }

    private void woken(NoticeOffer offer) {
        if (known) checkWakeAllowed(offer);
        wake(offer);
    }

    private void checkWakeAllowed(NoticeOffer offer) {
        simulation.see(new RunFact.Answer(Promise.NO_SURPRISE, "", "the woken session", state.name(), "IDLE"));
        boolean jumps = simulation.troubles.contains(Simulation.Trouble.CLOCK_JUMPS);
        long quiet = Simulation.WAKING.quiet().toNanos() - Simulation.MILLI; // the precision of the ledger's times
        if (jumps) return;
        if (promptedAt >= 0)
            see("nanoseconds from the user's prompt to a wake", simulation.nanos() - promptedAt, quiet, Long.MAX_VALUE);
        boolean wanted = offer.notices().stream()
                .anyMatch(
                        notice -> notice.ofRun().orElseThrow().run().createdAt().isAfter(interruptedAt));
        see("reasons of a wake that are newer than its user's interruption", wanted ? 1 : 0, 1, 1);
    }

    private void wake(NoticeOffer offer) {
        later(10 * Simulation.MILLI, "the harness wakes", () -> {
            if (state != State.IDLE) return; // the user prompted first
            startUnpromptedTurn();
            deliver(offer);
            try { // the waiting listener confirms it, if the daemon is still alive
                if (simulation.daemon().isPresent())
                    simulation.ledger.sessions().markDelivered(offer.id());
            } catch (RoostError e) {
                simulation.log("the delivery was not recorded: " + e.code());
            }
            hook(new SessionEvent.PromptSubmitted(false));
        });
    }

    private void see(String what, long amount, long least, long most) {
        simulation.see(new RunFact.Amount(Promise.NO_SURPRISE, OWNER.id(), what, amount, least, most));
    }

    /** Whether the model has read the notice; true if a report was lost, because then the daemon cannot know. */
    boolean hasProcessed(long notice) {
        return !known || processed.contains(notice);
    }

    /** Whether no notice is pending. After all runs ended, the user prompts a few more times until that is so. */
    boolean isUpToDate() {
        if (state == State.BUSY) return false;
        if (state == State.GONE) start();
        if (simulation.truth.notices().pending(Optional.of(OWNER)).isEmpty()) return true;
        if (++extraTurns > 4) {
            see(
                    "notices never acknowledged",
                    simulation.truth.notices().pending(Optional.of(OWNER)).size(),
                    0,
                    0);
            return true;
        }
        prompt(true);
        return false;
    }
}
