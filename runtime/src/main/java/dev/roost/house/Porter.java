package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Profile;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.luggage.Limits;
import dev.roost.luggage.Luggage;
import dev.roost.luggage.Luggages;
import dev.roost.luggage.Seat;
import dev.roost.luggage.Traveller;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.RoostError;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.PrivateFiles;
import dev.roost.worktrees.CheckpointLimits;
import dev.roost.worktrees.Worktree;
import dev.roost.worktrees.Worktrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Carries what runs would take along to where other nodes find it, while they work: should this machine be lost, another goes
 * on from there. Where there are no other nodes, it does nothing.
 */
final class Porter implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Porter.class.getName());
    private static final int AT_ONCE = 4;
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** To write down its conversations, OpenCode's program has to be started; whoever speaks ACP may be one. */
    private static final Set<String> DEAR = Set.of("opencode", "acp");

    private final Home home;
    private final Clock clock;
    private final Ledger ledger;
    private final Peers peers;
    private final Keeping keeping;
    private final Duration checkpoints;
    private final Map<RunId, Packed> packed = new ConcurrentHashMap<>();
    private final Set<RunId> underWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService few =
            Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory());

    private volatile boolean leaving;

    /** What was last carried of a run's current attempt. */
    private static final class Packed {
        private final int attempt;
        private long at;
        private long heard = -1;
        private String conversation = "";
        private String work = "";
        private boolean troubled;

        Packed(int attempt) {
            this.attempt = attempt;
        }
    }

    private Packed state(Run run) {
        int n = last(run);
        return packed.compute(run.id(), (_, old) -> old == null || old.attempt != n ? new Packed(n) : old);
    }

    Porter(Home home, Clock clock, Ledger ledger, Peers peers, Keeping keeping, Duration checkpoints) {
        this.home = home;
        this.clock = clock;
        this.ledger = ledger;
        this.peers = peers;
        this.keeping = keeping;
        this.checkpoints = checkpoints;
        if (peers.any()) {
            luggages(new Worktrees(CheckpointLimits.DEFAULT)).clear();
            keeping.onKept(this::kept);
        }
    }

    Luggages luggages(Worktrees worktrees) {
        return new Luggages(worktrees, home.luggage(), Limits.DEFAULT);
    }

    /** Whether its agent has a conversation that can be moved. */
    static boolean knows(Run run) {
        return Luggages.knows(run.driver());
    }

    /** To be called now and then for each run that is led here; {@code session} is its conversation, once it has one. */
    void look(Run run, Optional<String> session) {
        if (!peers.any() || !run.resumeOnLoss() || (knows(run) && session.isEmpty())) return;
        var state = state(run);
        long heard = heard(run);
        if (!isDue(run, state, heard) || !underWay.add(run.id())) return;
        boolean first = state.heard < 0;
        state.heard = heard;
        state.at = clock.monotonicNanos();
        soon(run, () -> {
            try {
                if (first) again(run).ifPresent(now -> keeping.keep(now, "so that it can be moved"));
                if (first) packWork(run.id(), state);
                packConversation(run.id(), session, state);
            } finally {
                underWay.remove(run.id());
            }
        });
    }

    private boolean isDue(Run run, Packed state, long heard) {
        if (state.heard < 0) return true;
        if (state.heard == heard) return false; // it has said nothing since
        var every = peers.packEvery();
        if (DEAR.contains(run.driver()) && checkpoints.compareTo(every) > 0) every = checkpoints;
        return clock.monotonicNanos() - state.at >= every.toNanos();
    }

    /** How much its agent has said. */
    private long heard(Run run) {
        try {
            return PrivateFiles.size(
                    home.run(run.id()).attempt(run.latest().n()).out());
        } catch (IOException e) {
            return 0;
        }
    }

    /** A checkpoint was made of its worktree. */
    private void kept(Run run) {
        soon(run, () -> packWork(run.id(), state(run)));
    }

    /** An attempt is over here: whoever continues the run may do so elsewhere. */
    void ended(Run run, Optional<String> session) {
        if (!peers.any()) return;
        soon(run, () -> {
            packConversation(run.id(), session, state(run));
            if (again(run).filter(now -> now.status().ended()).isPresent()) packed.remove(run.id());
        });
    }

    /** Everything as it is now; returns when that is done, and false if it could not be. For a run that is about to go elsewhere. */
    boolean packNow(Run run, Optional<String> session) {
        if (!peers.any()) return true;
        var state = state(run);
        return safely(run, () -> {
            again(run).ifPresent(now -> keeping.keep(now, "before it is moved"));
            packWork(run.id(), state);
            packConversation(run.id(), session, state);
        });
    }

    private Optional<Run> again(Run run) {
        return ledger.runs().find(run.id());
    }

    private void packConversation(RunId id, Optional<String> session, Packed state) {
        synchronized (state) {
            var run = ours(id);
            if (run.isEmpty() || session.isEmpty() || !knows(run.get())) return;
            try (var luggage = luggages(keeping.git(run.get()))
                    .pack(traveller(run.get(), session, Optional.empty(), Optional.empty()))) {
                if (luggage.conversation().isEmpty() || luggage.fingerprint().equals(state.conversation)) return;
                if (stow(run.get(), ShelfName.CONVERSATION, luggage)) state.conversation = luggage.fingerprint();
            }
        }
    }

    private void packWork(RunId id, Packed state) {
        synchronized (state) {
            var run = ours(id).filter(one -> one.work().flatMap(Work::madeAt).isPresent());
            if (run.isEmpty()) return;
            var worktree = Optional.of(Keeping.worktree(run.get()));
            try (var luggage = luggages(keeping.git(run.get()))
                    .pack(traveller(run.get(), Optional.empty(), worktree, keeping.pushedTo(run.get())))) {
                if (luggage.work().isEmpty() || luggage.fingerprint().equals(state.work)) return;
                if (stow(run.get(), ShelfName.WORK, luggage)) state.work = luggage.fingerprint();
            }
        }
    }

    /** The run as it is now, if what there is of it is here. */
    private Optional<Run> ours(RunId id) {
        return ledger.runs().find(id).filter(keeping::isHere);
    }

    private Traveller traveller(
            Run run, Optional<String> session, Optional<Worktree> worktree, Optional<String> pushedTo) {
        int n = last(run);
        return new Traveller(
                run.id(), n, run.driver(), seat(run, home.run(run.id()).attempt(n)), session, worktree, pushedTo);
    }

    /** The latest attempt that was begun: the one after it may be waiting for a node. */
    private static int last(Run run) {
        int n = run.latest().n();
        return run.status() == Status.QUEUED ? Math.max(1, n - 1) : n;
    }

    /** Where the agent of an attempt works on this machine. */
    static Seat seat(Run run, AttemptDirectory attempt) {
        var profile = Profile.read(run.profile());
        var program = profile.command().isEmpty() ? Drivers.of(run.driver()).program() : profile.command();
        try {
            return new Seat(program, attempt.environment(), run.cwd());
        } catch (IOException e) {
            return new Seat(program, System.getenv(), run.cwd());
        }
    }

    private boolean endedHere(Run run) {
        var attempt = ledger.runs().attempts(run.id()).get(last(run) - 1);
        return attempt.node().equals(Optional.of(peers.self()));
    }

    private boolean stow(Run run, ShelfName name, Luggage luggage) {
        try {
            var file = luggage.folder().resolve("packed");
            try (var out = Files.newOutputStream(file)) {
                luggage.write(out);
            }
            try (var in = Files.newInputStream(file)) {
                boolean over = run.status() != Status.RUNNING;
                if (over && !endedHere(run)) return false; // it is another attempt's by now
                return peers.stow(run.id(), last(run), over, name, in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("%s was not carried".formatted(name), e);
        }
    }

    private void soon(Run run, Runnable work) {
        try {
            few.execute(() -> safely(run, work));
        } catch (RejectedExecutionException e) {
            underWay.remove(run.id()); // closing
        }
    }

    private boolean safely(Run run, Runnable work) {
        try {
            work.run();
            return true;
        } catch (RoostError e) {
            var state = state(run);
            if (leaving || state.troubled) return false; // interrupted, and the next daemon packs; or said before
            state.troubled = true;
            ledger.note(run.id(), run.latest().n(), EventKind.TROUBLE, "it cannot be moved now: " + e.sentence());
        } catch (RuntimeException e) {
            if (!leaving) LOG.log(System.Logger.Level.WARNING, "%s could not be packed".formatted(run.id()), e);
        }
        return false;
    }

    @Override
    public void close() {
        leaving = true;
        few.shutdownNow();
        try {
            var _ = few.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
