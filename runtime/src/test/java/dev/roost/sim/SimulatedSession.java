package dev.roost.sim;

import dev.roost.base.RoostError;
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

/** A session in its harness, with a user before it: what it is told, and what the model in it really hears. */
final class SimulatedSession {

    static final Owner OWNER = new Owner("claude:s1");
    private static final long SECOND = Simulation.SECOND;

    private enum State {
        BUSY,
        IDLE,
        GONE
    }

    private final Simulation simulation;
    private SimulatedMachine.@Nullable Member harness;
    private State state = State.GONE;
    private long happening; // counts what the user does, so that what was planned before is dropped
    private long promptedAt = -1;
    private Instant interruptedAt = Instant.MIN;
    private boolean known = true; // all that it had to report was heard
    private boolean hooking;
    private boolean fresh;
    private int unasked; // turns in a row that no user began
    private int lastTurns;
    private final Set<Long> toldInThisTurn = new HashSet<>();
    private final Set<Long> before = new HashSet<>(); // what the model has before it, and has not yet gone on with
    private final Set<Long> heard = new HashSet<>();
    private @Nullable SimulatedDaemon listensTo;

    SimulatedSession(Simulation simulation) {
        this.simulation = simulation;
    }

    void begin() {
        later(0, "the session begins", this::start);
        later(simulation.chance(SECOND), "user prompts", this::userPrompts);
        if (simulation.has(Simulation.Trouble.KILLS) && simulation.oneIn(2))
            later(simulation.chance(4 * SECOND), "harness is killed", this::die);
        later(SECOND / 2, "listen", this::listenAgain);
    }

    /** A harness waits for its hook before it goes on. */
    private void later(long wait, String what, Runnable work) {
        simulation.later(wait, what, () -> {
            if (hooking) later(20 * Simulation.MILLI, what, work);
            else work.run();
        });
    }

    private void start() {
        harness = simulation.machine.start(null);
        state = State.IDLE;
        fresh = true;
        turn();
        hook(new SessionEvent.SessionStarted());
    }

    private void turn() {
        toldInThisTurn.clear();
        before.clear();
    }

    private void userPrompts() {
        if (simulation.isCalm()) return;
        if (state == State.GONE) {
            if (simulation.oneIn(2)) start();
        } else if (state == State.BUSY) {
            if (simulation.oneIn(2)) interrupt();
        } else prompt(true);
        later(simulation.chance(3 * SECOND), "user prompts", this::userPrompts);
    }

    private void interrupt() {
        happening++;
        interruptedAt = simulation.now();
        state = State.IDLE;
        if (simulation.oneIn(2)) hook(new SessionEvent.TurnInterrupted());
    }

    private void prompt(boolean byUser) {
        if (byUser) {
            promptedAt = simulation.nanos();
            unasked = 0;
            if (!fresh) turn();
        }
        fresh = false;
        state = State.BUSY;
        long mine = ++happening;
        later(simulation.chance(SECOND / 2), "tools are done", () -> tools(mine));
        hook(new SessionEvent.PromptSubmitted(byUser));
    }

    private boolean isOver(long one) {
        return happening != one || state != State.BUSY;
    }

    private void tools(long mine) {
        if (isOver(mine)) return;
        goesOn();
        later(simulation.chance(SECOND / 2), "turn ends", () -> end(mine));
        hook(new SessionEvent.ToolsFinished());
    }

    /** The model has read what was put before it. */
    private void goesOn() {
        heard.addAll(before);
        before.clear();
    }

    private void end(long mine) {
        if (isOver(mine)) return;
        goesOn();
        state = State.IDLE;
        hook(new SessionEvent.TurnEnded(true));
    }

    private void die() {
        happening++;
        if (harness != null) simulation.machine.end(harness);
        state = State.GONE;
        before.clear();
    }

    void reboot() {
        happening++;
        state = State.GONE;
        before.clear();
    }

    /** What the harness reports, and what it is given in answer. */
    private void hook(SessionEvent event) {
        boolean knew = known;
        known = false;
        hooking = true;
        try {
            report(event, knew);
        } finally {
            hooking = false;
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
                            (session, untold) -> daemon.wakeScheduler
                                    .rules()
                                    .againstAnotherTurn(session, untold)
                                    .isEmpty());
            known = knew;
            if (answer.session().state() != OwnerSession.SessionState.IDLE) daemon.wakeScheduler.cancelWait(OWNER);
            if (answer.offer().isEmpty()) return;
            var offer = answer.offer().get();
            simulation.crashPoint();
            if (offer.occasion() == NoticeOffer.Occasion.STOP) another();
            give(offer);
            simulation.crashPoint();
            simulation.ledger.sessions().markDelivered(offer.id());
        } catch (RoostError e) {
            simulation.tell("the hook had no answer: " + e.code());
        }
    }

    /** A turn begins that no user asked for. */
    private void another() {
        if (++unasked > Simulation.WAKING.limit() && known)
            simulation.broken("12: it goes on by itself for the %dth time".formatted(unasked));
        turn();
        state = State.BUSY;
        long mine = ++happening;
        later(simulation.chance(SECOND / 2), "tools are done", () -> tools(mine));
    }

    private void give(NoticeOffer offer) {
        for (var notice : offer.notices()) {
            if (simulation.telling()) simulation.tell("told of %s (%s)".formatted(notice.key(), offer.occasion()));
            if (!toldInThisTurn.add(notice.id()) && known) simulation.broken("told twice in a turn: " + notice.key());
            before.add(notice.id());
        }
    }

    private void listenAgain() {
        later(SECOND / 2, "listen again", this::listenAgain);
        var daemon = simulation.daemon().orElse(null);
        if (daemon == null || daemon == listensTo || state != State.IDLE) return;
        listensTo = daemon;
        try {
            var _ = daemon.wakeScheduler.listen(OWNER).thenAccept(offer -> {
                listensTo = null;
                offer.ifPresent(this::woken);
            });
        } catch (RoostError e) {
            listensTo = null;
        }
    }

    private void woken(NoticeOffer offer) {
        if (known) mayBeWoken(offer);
        wakes(offer);
    }

    private void mayBeWoken(NoticeOffer offer) {
        if (state != State.IDLE) simulation.broken("12: woken while it is " + state);
        boolean jumps = simulation.troubles.contains(Simulation.Trouble.CLOCK_JUMPS);
        long quiet =
                Simulation.WAKING.quiet().toNanos() - Simulation.MILLI; // which is how exactly the ledger keeps time
        if (!jumps && promptedAt >= 0 && simulation.nanos() - promptedAt < quiet)
            simulation.broken("12: woken when its user had just submitted a prompt");
        boolean wanted = offer.notices().stream()
                .anyMatch(
                        notice -> notice.ofRun().orElseThrow().run().createdAt().isAfter(interruptedAt));
        if (!wanted && !jumps) simulation.broken("12: woken though its user interrupted it");
    }

    private void wakes(NoticeOffer offer) {
        later(10 * Simulation.MILLI, "the harness wakes", () -> {
            if (state != State.IDLE) return; // its user was faster
            another();
            give(offer);
            try { // by who has waited for it, if the daemon is still there
                if (simulation.daemon().isPresent())
                    simulation.ledger.sessions().markDelivered(offer.id());
            } catch (RoostError e) {
                simulation.tell("not noted that it was given: " + e.code());
            }
            hook(new SessionEvent.PromptSubmitted(false));
        });
    }

    /** Or nobody could know. */
    boolean hasHeard(long notice) {
        return !known || heard.contains(notice);
    }

    /** When all is done its user comes by a few more times; then it has heard of everything. */
    boolean isTold() {
        if (state == State.BUSY) return false;
        if (state == State.GONE) start();
        if (simulation.truth.notices().pending(Optional.of(OWNER)).isEmpty()) return true;
        if (++lastTurns > 4) {
            simulation.broken("12: never told: " + simulation.truth.notices().pending(Optional.of(OWNER)));
            return true;
        }
        prompt(true);
        return false;
    }
}
