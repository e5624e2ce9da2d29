package dev.roost.house;

import dev.roost.ledger.Began;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Clock;
import dev.roost.run.Exit;
import dev.roost.run.ProcessId;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory.Start;
import dev.roost.supervisor.Perches.Found;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides what becomes of one attempt. At each step it looks at the whole situation anew, so that no event is needed twice
 * and none that was missed is missed for long. It touches no process and no file: its {@link Hands} do.
 */
final class Course {

    /** How long a perch that has recorded the exit may take to go. */
    private static final Duration PERCH_GRACE = Duration.ofSeconds(1);

    /** What can be seen of an attempt, and done about it. */
    interface Hands extends StopPressure.Hands {

        String bootId();

        /** Whether exactly this process, not another with its pid, is there. */
        boolean alive(ProcessId process);

        /** What another daemon left of it. */
        Found found() throws IOException;

        Optional<Start> start() throws IOException;

        Optional<Exit> exit() throws IOException;

        /** Empty if no perch was sent off after all. */
        Optional<ProcessId> launch() throws IOException;

        /** To be told of its end. */
        void follow(ProcessId perch);

        /** Its agent is that, and here. */
        void root(Start start);

        /** Time is counted, and the ledger is about to know. */
        void began(Began began);

        /** It was found alive by another daemon than the one that launched it. */
        void reattached();

        void carryOutput() throws IOException;

        /** One that is stopped could record neither beginning nor end. */
        void resume(ProcessId perch);

        /** Before a living one is pressed to end, or else tended. */
        void look() throws IOException;

        boolean hasSaidItsLastWord();

        void tend(ProcessId perch, Began began) throws IOException;

        /** Kills whatever is left of it; what could not be. */
        List<String> killAll();

        void exited(ProcessId perch, Exit exit, boolean moved) throws IOException;

        /** It left no record of its end. */
        void vanished(Cause cause, boolean moved, List<String> unkillable) throws IOException;

        void neverBegan(Stop stop) throws IOException;

        /** True if nothing is left of what is another node's by now. */
        boolean perish();

        void over();
    }

    private final Ledger ledger;
    private final Clock clock;
    private final Run run;
    private final int attempt;
    private final Hands hands;
    private final StopPressure pressure;

    private Optional<ProcessId> perch = Optional.empty();
    private Optional<Began> began;
    private boolean rebooted;
    private boolean settling; // a daemon that has just come back is not patient with what it was told to stop
    private volatile Optional<Stop> stopping;
    private long exitSeenAt;
    private volatile boolean over;
    private volatile boolean moving; // stopped here, to go on elsewhere
    private volatile boolean lost; // to another node: what is here of it has no business any more

    Course(Ledger ledger, Clock clock, Run run, Hands hands) {
        this.ledger = ledger;
        this.clock = clock;
        this.run = run;
        this.attempt = run.latest().n();
        this.hands = hands;
        this.pressure = new StopPressure(clock, hands);
        this.began = run.latest().began();
        this.stopping = run.latest().stopping();
    }

    Optional<Began> began() {
        return began;
    }

    Optional<Stop> stopping() {
        return stopping;
    }

    void stop(Stop stop) {
        stopping = Optional.of(stop);
    }

    boolean isSettling() {
        return settling;
    }

    boolean isOver() {
        return over;
    }

    void over() {
        over = true;
        hands.over();
    }

    boolean isLost() {
        return lost;
    }

    void lose() {
        lost = true;
    }

    void move() {
        moving = true;
    }

    /** Whether nobody has seen to it yet that it goes on elsewhere, and it has something to go on with. */
    boolean couldMove() {
        return !moving && !lost && !over && began.isPresent() && stopping.isEmpty();
    }

    /** The next moment at which something is due by itself. */
    OptionalLong due() {
        if (exitSeenAt == 0) return pressure.due();
        long goes = exitSeenAt + PERCH_GRACE.toNanos();
        return OptionalLong.of(Math.min(goes, pressure.due().orElse(goes)));
    }

    /** For what another daemon had begun; true if a step is to follow at once. */
    boolean reattach() throws IOException {
        settling = true;
        // what the ledger knows is durable; the perch's own files may have been lost with the machine's power
        Found found = began.isPresent()
                ? new Found.Begun(began.get().perch(), began.get().bootId())
                : hands.found();
        switch (found) {
            case Found.NeverBegan _ ->
                hands.killAll(); // of a perch that was stopped half-way; the first step launches another
            case Found.Begun(var perch, var bootId) -> {
                rebooted = !bootId.equals(hands.bootId());
                var exit =
                        hands.exit(); // what fails is done again from the beginning, so the perch is followed after it
                follow(perch);
                if (!gone() && exit.isEmpty()) hands.reattached();
            }
        }
        // a worktree may take long to make: whoever leads does that, and the daemon's start does not wait for it
        return perch.isPresent() || stopping.isPresent() || run.work().isEmpty();
    }

    void settled() {
        settling = false;
    }

    void step() throws IOException {
        if (lost) {
            if (hands.perish()) over();
            return;
        }
        if (perch.isEmpty()) {
            if (stopping.isPresent()) neverBegan();
            else launch();
            return;
        }
        if (began.isEmpty()) recordBeginning();
        hands.carryOutput();
        boolean gone = gone(); // looked at before the record: a perch writes it before it goes
        var exit = hands.exit();
        if (exit.isPresent()) {
            if (exitSeenAt == 0) exitSeenAt = clock.monotonicNanos();
            if (gone || clock.monotonicNanos() - exitSeenAt >= PERCH_GRACE.toNanos()) exited(exit.get());
        } else if (gone) {
            vanished();
        } else {
            boolean agentLives =
                    began.filter(known -> hands.alive(known.agent())).isPresent();
            if (!agentLives) hands.resume(perch.get());
            live();
        }
    }

    private void live() throws IOException {
        hands.look();
        boolean goes = moving && !hands.hasSaidItsLastWord(); // who has said his last word may as well end here
        if (stopping.isPresent() || goes) pressure.press(perch.orElseThrow(), began, settling);
        else if (began.isPresent()) hands.tend(perch.orElseThrow(), began.get());
    }

    private void launch() throws IOException {
        rebooted = false;
        hands.launch().ifPresent(this::follow);
    }

    private void follow(ProcessId process) {
        perch = Optional.of(process);
        if (!rebooted) hands.follow(process);
    }

    private boolean gone() {
        return rebooted || (perch.isPresent() && !hands.alive(perch.get()));
    }

    private void recordBeginning() throws IOException {
        var start = hands.start();
        if (start.isEmpty()) return;
        var now = new Began(
                start.get().perch(),
                start.get().agent(),
                start.get().bootId(),
                clock.monotonicNanos(),
                clock.sleptNanos());
        if (!rebooted) hands.root(start.get());
        hands.began(now);
        ledger.began(run.id(), attempt, now);
        began = Optional.of(now);
    }

    private void exited(Exit exit) throws IOException {
        hands.exited(perch.orElseThrow(), exit, moving && stopping.isEmpty());
        over();
    }

    private void vanished() throws IOException {
        var unkillable = hands.killAll();
        if (began.isEmpty()) recordBeginning();
        if (began.isEmpty()) {
            if (stopping.isPresent()) neverBegan();
            else if (settling && run.work().isPresent()) perch = Optional.empty(); // the next step launches
            else launch(); // the agent's first instruction was never reached, so this is no second run
            return;
        }
        hands.vanished(rebooted ? Cause.HOST_REBOOT : Cause.PERCH_LOST, moving && stopping.isEmpty(), unkillable);
        over();
    }

    private void neverBegan() throws IOException {
        hands.neverBegan(stopping.orElseThrow());
        over();
    }
}
