package dev.roost.house;

import dev.roost.ledger.Began;
import dev.roost.ledger.Run;
import dev.roost.run.DiskTrouble;
import dev.roost.run.EventKind;
import dev.roost.run.ProcessId;
import dev.roost.run.RoostError;
import dev.roost.run.Stop;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Leads one attempt on its {@link Course}, from its perch to its end, whatever wakes it: a file event, an exit, a stop, the sweep. */
final class AttemptLoop implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(AttemptLoop.class.getName());

    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final AttemptDirectory directory;
    private final RealHands hands;
    private final Course course;
    private final Optional<FileEvents.Watch> watch;
    private final Semaphore wake = new Semaphore(0);

    private long troubledAt;
    private volatile boolean left;
    private volatile Optional<ProcessId> calm = Optional.empty(); // the agent, while only an event can be news of it
    private long written;
    private int patrols;

    private AttemptLoop(Rooms rooms, Run run) throws IOException {
        rooms.home().run(run.id()).create(); // somebody may have removed it; the row still needs its end
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.directory = rooms.home().run(run.id()).attempt(attempt);
        this.hands = new RealHands(rooms, run, directory, this);
        this.course = new Course(rooms.ledger(), rooms.clock(), run, hands);
        this.watch = watch();
        course.began().ifPresent(hands::known);
    }

    private Optional<FileEvents.Watch> watch() {
        try {
            return Optional.of(rooms.files().watch(directory.path(), this::poke));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "no file events for %s, the sweep must do: %s".formatted(run.id(), e));
            return Optional.empty();
        }
    }

    /** For an attempt that was just claimed. */
    static AttemptLoop begin(Rooms rooms, Run run) throws IOException {
        // a ledger that was put back to an earlier time may call queued what has run since: it must not run twice
        return ready(rooms, run, loop -> {
            if (loop.directory.hasBegun()) loop.settle();
        });
    }

    /** For an attempt that this machine cannot begin. */
    static AttemptLoop refuse(Rooms rooms, Run run, RoostError because) throws IOException {
        return ready(rooms, run, loop -> loop.hands.refuse(because));
    }

    /** For an attempt that another daemon had begun: settled as far as it can be before this returns. */
    static AttemptLoop inherit(Rooms rooms, Run run) throws IOException {
        return ready(rooms, run, AttemptLoop::settle);
    }

    private interface First {
        void with(AttemptLoop loop) throws IOException;
    }

    /** One that could not be made ready is known to nobody else who would close it; it is tried again every other second. */
    private static AttemptLoop ready(Rooms rooms, Run run, First first) throws IOException {
        var loop = new AttemptLoop(rooms, run);
        try {
            first.with(loop);
            return loop;
        } catch (IOException | RuntimeException e) {
            loop.close();
            throw e;
        }
    }

    private void settle() throws IOException {
        if (rooms.peers().any() && Losses.isMoving(rooms, run)) course.move();
        if (course.reattach()) stepSafely();
        course.settled();
    }

    boolean isHalted() {
        return course.stopping().isPresent() || left;
    }

    /** What could not be asked, read or written just now says nothing about the run. */
    static boolean isForLater(Exception error) {
        if (DiskTrouble.isFull(error)) return true;
        return error instanceof RoostError known
                && (known.code().startsWith("ledger_")
                        || known.code().startsWith("shelf_")
                        || known.code().equals("disk_full"));
    }

    Course course() {
        return course;
    }

    ProcessTree tree() {
        return hands.tree();
    }

    Run run() {
        return run;
    }

    /** Whether that is still the attempt that this leads. */
    boolean leads(Run now) {
        return now.latest().n() == attempt && !now.status().ended();
    }

    /** Another node has it: its processes are ended, and nothing is said of it any more. */
    void lose() {
        course.lose();
        hands.interrupt();
        poke();
    }

    boolean isLost() {
        return course.isLost();
    }

    /** Whether it could go on elsewhere, and nobody has seen to that yet. */
    boolean canMove() {
        return course.couldMove() && hands.canBeMoved();
    }

    /** Its node is to be emptied: it is stopped, and its next attempt is begun by another node. */
    void move() {
        rooms.ledger()
                .note(
                        run.id(),
                        attempt,
                        EventKind.MOVING,
                        "its node is emptied; it is stopped here to go on elsewhere");
        course.move();
        poke();
    }

    boolean isOver() {
        return course.isOver();
    }

    /** The agent's own conversation, once it has one. */
    Optional<String> session() {
        return hands.talk().heard().session().or(run::sessionId);
    }

    long outputLength() {
        return hands.talk().outputLength();
    }

    void poke() {
        wake.release();
    }

    /**
     * Pokes it if something may have happened that nobody told of. Thousands of calm ones must cost little, so their agents are
     * looked for more rarely: one that has gone is news by itself only if somebody has stopped its perch.
     */
    void patrol() {
        try {
            long before = written;
            written = directory.written();
            boolean calmly = patrols++ % 5 == 0 ? calm.filter(Processes::alive).isPresent() : calm.isPresent();
            if (calmly && written == before) return;
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a step will say what is wrong", e);
        }
        poke();
    }

    /** Once it has begun, until it is to end: whatever is next, an event tells of it or it is known when. */
    private Optional<ProcessId> calmly() {
        boolean told = watch.isPresent() && rooms.exits().immediate();
        boolean expects = course.stopping().isPresent() || hands.expectsNews();
        boolean alone = rooms.config().day().equals(DayBudget.NONE); // else others may use up what it has
        return told && alone && !expects ? course.began().map(Began::agent) : Optional.empty();
    }

    /** Somebody has written to the agent. */
    void mail() {
        hands.talk().mail();
        poke();
    }

    void stop(Stop stop) {
        course.stop(stop);
        hands.interrupt();
        poke();
    }

    /** Lets go of the attempt and leaves it to the next daemon. */
    void leave() {
        left = true;
        hands.interrupt();
        poke();
    }

    void lead() {
        stepSafely();
        while (!isOver() && !left) {
            try {
                if (wake.tryAcquire(nap(), TimeUnit.NANOSECONDS)) wake.drainPermits();
            } catch (InterruptedException e) {
                return;
            }
            if (!left) stepSafely();
        }
        if (!isOver() && !isLost()) hands.talk().save();
    }

    @Override
    public void close() {
        watch.ifPresent(FileEvents.Watch::close);
        try {
            hands.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "%s: output.md was not closed".formatted(run.id()), e);
        }
    }

    /** Until the next moment at which something is due by itself. */
    private long nap() {
        long now = rooms.clock().monotonicNanos();
        long due = hands.due(now + TimeUnit.HOURS.toNanos(1));
        due = Math.min(due, course.due().orElse(due));
        boolean troubled = troubledAt != 0 && now - troubledAt < TROUBLE_PAUSE.toNanos();
        return Math.max(troubled ? TROUBLE_PAUSE.toNanos() : 1_000_000, due - now);
    }

    /** What cannot be done now (a full disk, say) is done at the next waking; nothing is given up. */
    private void stepSafely() {
        calm = Optional.empty();
        troubledAt = 0;
        try {
            if (isOver()) return;
            course.step();
            if (troubledAt == 0) calm = calmly();
        } catch (IOException | RuntimeException e) {
            troubled(e);
        }
    }

    void troubled(Exception e) {
        LOG.log(System.Logger.Level.ERROR, "%s/%d: will look again".formatted(run.id(), attempt), e);
        troubledAt = rooms.clock().monotonicNanos();
    }
}
