package dev.roost.house;

import dev.roost.ledger.End;
import dev.roost.ledger.Run;
import dev.roost.run.EventKind;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.supervisor.Machine;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.RunDirectory;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All live attempts: started, inherited, swept, let go. */
final class Attempts implements AutoCloseable, Led, LiveOutput {

    private static final System.Logger LOG = System.getLogger(Attempts.class.getName());
    private static final int SWEEP_SECONDS = 2;
    private static final int CLAIMED_AT_ONCE = 64;
    private static final int GOODBYE_SECONDS = 5;
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(5);

    private final Rooms rooms;
    private final TakingUp takingUp;
    private final OthersRuns others;
    private final Set<RunId> taken = ConcurrentHashMap.newKeySet();
    private final Map<RunId, AttemptLoop> loops = new ConcurrentHashMap<>();
    private final BlockingQueue<ProcessTree> over = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-attempt-", 0).factory());
    private final ScheduledExecutorService sweeper = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-sweep").factory());

    private final OnceMore filling = new OnceMore();
    private final AtomicBoolean emptying = new AtomicBoolean();
    private volatile boolean closing;
    private volatile boolean lapsed; // some of what is here may be another node's
    private volatile Runnable afterAnEnd = () -> {};
    private volatile Runnable beforeAStart = () -> {};

    Attempts(Rooms rooms) {
        this.rooms = rooms;
        this.takingUp = new TakingUp(rooms, this::fillSoon);
        this.others = new OthersRuns(rooms);
    }

    /** Brings every row of the ledger in line with the processes that are really there. */
    void settle() throws IOException {
        removeStrangers();
        if (rooms.peers().any()) others.endAtStart();
        sealRest();
        List<Future<?>> settled = rooms.ledger().runs().runningIds().stream()
                .<Future<?>>map(id -> threads.submit(() -> inherit(id)))
                .toList();
        for (var one : settled) {
            try {
                one.get();
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException("settling was interrupted", e);
            }
        }
        fillIfPossible();
        var _ = sweeper.scheduleWithFixedDelay(
                () -> sweep(AttemptLoop::patrol), SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    /** A directory without a row is a submission that was never accepted. */
    private void removeStrangers() throws IOException {
        for (var id : rooms.home().accepting().left()) {
            if (rooms.ledger().runs().find(id).isEmpty())
                removeStranger(rooms.home().run(id));
            rooms.home().accepting().done(id);
        }
    }

    /** One that has begun was accepted: the ledger must have been taken away or put back. It is nobody's to delete. */
    private static void removeStranger(RunDirectory directory) throws IOException {
        if (directory.attempt(1).hasBegun()) {
            LOG.log(System.Logger.Level.WARNING, "{0} has no row in the ledger; left as it is", directory.path());
        } else {
            directory.delete();
        }
    }

    /** Gives output.md its last lines, where nobody has and nobody is about to. */
    void seal(RunId id) {
        if (!taken.add(id)) return; // who leads it does, or we do after him
        try {
            var run = rooms.ledger().runs().unsealed(id);
            if (run.isEmpty()) return;
            rooms.home().run(id).create(); // it may have ended before it was anywhere
            rooms.peers().fetch(run.get());
            try (var scribe = new Scribe(rooms, run.get(), Optional.empty())) {
                scribe.seal(run.get().latest());
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, id + ": output.md lacks its last lines", e);
        } finally {
            taken.remove(id);
        }
    }

    /** Whoever ended it may have died before it could. */
    private void sealRest() {
        for (var run : rooms.ledger().runs().unsealed()) {
            if (rooms.peers().any()) soon(() -> seal(run.id())); // the others may be slow to hear of it
            else seal(run.id());
        }
    }

    /** Starts what is queued, as far as there are slots. */
    @Override
    public void fill() {
        filling.now(this::fillSlots);
    }

    /** What cannot be claimed now, on a full disk say, the sweep claims: what runs must not be left alone for it. */
    private void fillIfPossible() {
        try {
            fill();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "nothing could be begun; will try again", e);
        }
    }

    void fillSoon() {
        soon(() -> filling.soon(this::fillSlots));
    }

    private void fillSlots() {
        beforeAStart.run();
        for (var claimed = claim(); !claimed.isEmpty(); claimed = claim()) {
            for (var run : claimed) soon(() -> begin(run.id()));
        }
    }

    /** False if we are closing: then the next daemon does it. */
    private boolean soon(Runnable work) {
        try {
            threads.execute(work);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private List<Run> claim() {
        int room = closing ? 0 : Machine.roomForStarts(CLAIMED_AT_ONCE);
        if (room == 0) return List.of(); // an end or the sweep comes by again
        return rooms.peers().claim(rooms.ledger(), rooms.config().caps(), room);
    }

    @Override
    public void begin(RunId id) {
        take(id, () -> {
            var run =
                    rooms.ledger().runs().find(id).filter(rooms.peers()::isOurs).orElse(null);
            if (run == null || run.status() != Status.RUNNING) return null; // it was stopped, or taken over
            return takingUp.take(run, true);
        });
        if (!taken.contains(id)) LOG.log(System.Logger.Level.DEBUG, "{0} was not begun", id);
    }

    @Override
    public void look(Collection<RunId> runs) {
        for (var id : runs) {
            var loop = loops.get(id);
            if (loop == null) continue;
            rooms.ledger().runs().find(id).ifPresent(run -> {
                if (others.isLost(loop, run)) loop.lose();
                else run.latest().stopping().ifPresent(loop::stop);
            });
            loop.mail();
        }
    }

    @Override
    public void letGoOfLost() {
        lapsed = true;
        soon(this::endLost);
    }

    /** Also what nobody leads, because it came here as somebody else took it over. What fails, the sweep does again. */
    private void endLost() {
        if (!lapsed) return;
        lapsed = false;
        try {
            look(List.copyOf(loops.keySet()));
            others.end();
        } catch (IOException | RuntimeException e) {
            lapsed = true;
            LOG.log(System.Logger.Level.WARNING, "what is another node's by now was not all found", e);
        }
    }

    @Override
    public void moveAway() {
        if (!emptying.compareAndSet(false, true)) return;
        boolean done = soon(() -> {
            try {
                for (var loop : loops.values()) {
                    if (loop.canMove()
                            && rooms.peers().couldGoElsewhere(loop.run())
                            && Jobs.canLeave(rooms, loop.run(), loop.session())) loop.move();
                }
            } finally {
                emptying.set(false);
            }
        });
        if (!done) emptying.set(false);
    }

    @Override
    public void takeOver(Run run, Loss loss, Predicate<End> finish) {
        if (!taken.add(run.id())) return;
        boolean won = false;
        try {
            won = new TakingOver(rooms, run, loss).end(finish);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "%s could not be taken over; will try again".formatted(run.id()), e);
        } finally {
            taken.remove(run.id());
        }
        if (won) {
            seal(run.id());
            fillSoon();
        }
    }

    /** Takes over a run that says it is running, but that nobody here leads. */
    private void inherit(RunId id) {
        take(id, () -> {
            // asked first: what stops waiting after this was begun, or taken over, and the row says which
            if (rooms.peers().isWaiting(id)) return null;
            var run = rooms.ledger()
                    .runs()
                    .find(id)
                    .orElseThrow(); // as it is now, not as it was when somebody thought of it
            if (run.status() != Status.RUNNING || !rooms.peers().isOurs(run)) return null;
            return takingUp.take(run, false);
        });
    }

    private interface LoopMaker {
        @Nullable
        AttemptLoop make() throws IOException;
    }

    /** Takes charge of a run unless somebody has; if that goes wrong, the sweep comes by and tries again. */
    private void take(RunId id, LoopMaker maker) {
        if (!taken.add(id)) return;
        try {
            var loop = maker.make();
            if (loop != null) lead(loop);
            else taken.remove(id);
        } catch (IOException | RuntimeException e) {
            taken.remove(id);
            LOG.log(System.Logger.Level.ERROR, "%s could not be taken up; will try again".formatted(id), e);
        }
    }

    private void lead(AttemptLoop loop) {
        var id = loop.run().id();
        loops.put(id, loop);
        if (closing) loop.leave();
        try { // a stop may have been asked for before the loop was there to hear of it
            rooms.ledger()
                    .runs()
                    .find(id)
                    .flatMap(run -> run.latest().stopping())
                    .ifPresent(loop::stop);
        } catch (RuntimeException e) {
            loops.remove(id);
            loop.close();
            throw e;
        }
        boolean led = soon(() -> {
            try {
                loop.lead();
            } finally {
                letGo(loop);
            }
            if (!loop.isOver()) return;
            over.add(loop.tree());
            if (loop.isLost() || others.wasTakenAway(loop)) return;
            seal(id); // one who could not write its last lines, or was stopped between two attempts
            afterAnEnd.run();
            fillSoon(); // its slot is free, and it may itself be queued again
            if (loop.run().work().isPresent())
                rooms.keeping().ended(id, loop.run().latest().n());
            rooms.porter().ended(loop.run(), loop.session());
        });
        if (!led) letGo(loop);
    }

    private void letGo(AttemptLoop loop) {
        loop.close();
        loops.remove(loop.run().id());
        taken.remove(loop.run().id());
    }

    /** Nobody here takes up the run meanwhile; nothing is done if somebody has. */
    void unlessTaken(RunId run, Runnable what) {
        if (!taken.add(run)) return;
        try {
            what.run();
        } finally {
            taken.remove(run);
        }
    }

    @Override
    public boolean isTaken(RunId run) {
        return taken.contains(run);
    }

    void stop(Run run, Stop stop) {
        Optional.ofNullable(loops.get(run.id())).ifPresent(loop -> loop.stop(stop));
    }

    /** To be done whenever a run may have ended, and at the sweep. */
    void afterAnEnd(Runnable what) {
        afterAnEnd = what;
    }

    /** To be done before anything is started. */
    void beforeAStart(Runnable what) {
        beforeAStart = what;
    }

    void mail(RunId run) {
        Optional.ofNullable(loops.get(run)).ifPresent(AttemptLoop::mail);
    }

    @Override
    public int count() {
        return loops.size();
    }

    /** Runs that are called running and that nobody leads, though there was time enough to take them up. */
    List<RunId> unled(Instant now) {
        return rooms.ledger().runs().running().stream()
                .filter(run -> !taken.contains(run.id()))
                .filter(run -> run.latest()
                        .startedAt()
                        .filter(at -> at.plus(SETTLED_WITHIN).isBefore(now))
                        .isPresent())
                .map(Run::id)
                .toList();
    }

    /** The live run that the process with this pid belongs to, by its group or by its ancestors. */
    Optional<Run> holderOf(long pid) {
        return ProcessTree.holding(
                        pid, loops.values().stream().map(AttemptLoop::tree).toList())
                .flatMap(tree -> Optional.ofNullable(loops.get(tree.run())))
                .map(AttemptLoop::run);
    }

    @Override
    public Optional<Long> outputLength(RunId run) {
        return Optional.ofNullable(loops.get(run)).map(AttemptLoop::outputLength);
    }

    /** Looks at everything once, in case an event was missed or something had gone wrong. */
    void sweep() {
        sweep(AttemptLoop::poke);
    }

    private void sweep(Consumer<AttemptLoop> look) {
        try {
            for (var id : rooms.ledger().runs().runningIds()) if (!taken.contains(id)) soon(() -> inherit(id));
            sealRest();
            afterAnEnd.run();
            fillIfPossible();
            ProcessTree.remember(loops.values().stream().map(AttemptLoop::tree).toList());
            endStragglers();
            if (rooms.peers().any()) look(List.copyOf(loops.keySet()));
            endLost();
            loops.values().forEach(look);
            loops.values().forEach(loop -> rooms.porter().look(loop.run(), loop.session()));
        } catch (Throwable e) { // whatever it was, the next sweep must come
            LOG.log(System.Logger.Level.ERROR, "sweep failed", e);
        }
    }

    /** One search for all that ended since the last: who found a way out of his run must not outlive it for long. */
    private void endStragglers() {
        var ended = new ArrayList<ProcessTree>();
        over.drainTo(ended);
        if (ended.isEmpty()) return;
        ProcessTree.stragglers(ended).forEach((tree, who) -> {
            over.add(tree); // it may have left another behind
            rooms.ledger()
                    .note(tree.run(), tree.attempt(), EventKind.STRAGGLER, "ended after it: " + String.join("; ", who));
        });
    }

    @Override
    public void close() {
        closing = true;
        sweeper.close();
        loops.values().forEach(AttemptLoop::leave);
        threads.shutdown();
        try {
            if (threads.awaitTermination(GOODBYE_SECONDS, TimeUnit.SECONDS)) return;
            threads.shutdownNow(); // git that hangs is ended; what it was to do, the next daemon does
            if (!threads.awaitTermination(GOODBYE_SECONDS, TimeUnit.SECONDS))
                LOG.log(System.Logger.Level.WARNING, "some attempts were not let go of in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
