package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Words;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.Home;
import dev.roost.worktrees.Answers;
import dev.roost.worktrees.Changed;
import dev.roost.worktrees.Checkpoint;
import dev.roost.worktrees.CheckpointLimits;
import dev.roost.worktrees.Landing;
import dev.roost.worktrees.Made;
import dev.roost.worktrees.Origin;
import dev.roost.worktrees.Worktree;
import dev.roost.worktrees.Worktrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs' own worktrees: made before an attempt begins, kept while it works, and looked at when it has ended. */
final class Keeping implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Keeping.class.getName());
    private static final int AT_ONCE = Math.max(8, Runtime.getRuntime().availableProcessors());
    private static final Duration GOODBYE = Duration.ofSeconds(2);
    private static final String NO_LANDING = "how far its code got is not known";

    private final Home home;
    private final WorkPolicy policy;
    private final Faults faults;
    private final Clock clock;
    private final Ledger ledger;
    private final Projects projects;
    private final CheckpointLimits limits;
    private final Holds holds = new Holds();
    private final Troubles troubles;
    private final Clearing clearing;
    private final Set<RunId> underWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-keep-", 0).factory());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-keep").factory());

    private final ExecutorService few =
            Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory());
    private volatile boolean leaving;

    private final Peers peers;
    private volatile Consumer<Run> onKept = _ -> {};

    Keeping(Home home, Config config, Clock clock, Ledger ledger, Projects projects, Peers peers) {
        this.peers = peers;
        this.home = home;
        this.policy = config.working();
        this.faults = config.faults();
        this.clock = clock;
        this.ledger = ledger;
        this.projects = projects;
        this.limits = new CheckpointLimits(policy.largestFile(), policy.ignoredToo());
        this.troubles = new Troubles(ledger, () -> leaving);
        this.clearing = new Clearing(this, holds, home, clock, ledger, peers);
    }

    /** Looks at what the last daemon did not come to, and from now on makes a checkpoint of everything every few minutes. */
    void start() {
        soon(this::catchUp);
        long every = policy.checkpointEvery().toMillis();
        var _ = timer.scheduleWithFixedDelay(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            for (var run : atWork())
                byItself(run.id(), () -> keep(run, "every " + Words.span(policy.checkpointEvery())));
            catchUp();
            policy.checkpointRemote().ifPresent(remote -> {
                for (var run : ledger.works().unpushed())
                    if (isHere(run)) soon(() -> push(run, remote)); // what failed when it was made
            });
        } catch (Throwable e) { // whatever it was, the next one must come
            LOG.log(System.Logger.Level.ERROR, "the checkpoints could not be made", e);
        }
    }

    private void catchUp() {
        for (var run : ledger.works().unlooked())
            byItself(run.id(), () -> ended(run.id(), run.latest().n()));
    }

    /** Some at once, each run once: one that hangs keeps no other from its checkpoint. */
    private void byItself(RunId run, Runnable work) {
        if (!underWay.add(run)) return;
        submit(few, () -> {
            try {
                work.run();
            } finally {
                underWay.remove(run);
            }
        });
    }

    /** Those that run here and have a worktree. */
    List<Run> atWork() {
        return ledger.runs().running().stream()
                .filter(run -> isThere(run) && isHere(run))
                .toList();
    }

    private static boolean isThere(Run run) {
        return run.work().filter(Work::isThere).isPresent();
    }

    /** Whether this node has what there is of the run outside of the ledger. */
    boolean isHere(Run run) {
        return !peers.any() || run.holder().equals(Optional.of(peers.self()));
    }

    /** To be told of each checkpoint that has something new, once it is on its remote if there is one for them. */
    void onKept(Consumer<Run> listener) {
        onKept = listener;
    }

    /** The remote that has the run's latest checkpoint. */
    Optional<String> pushedTo(Run run) {
        return policy.checkpointRemote()
                .filter(_ -> ledger.works().unpushed().stream()
                        .noneMatch(one -> one.id().equals(run.id())));
    }

    /** Where a run that is asked for in {@code cwd} will have its worktree, and the directory in it where it works. */
    Placed place(RunId run, Path cwd) {
        var origin = Origin.of(cwd);
        var path = home.worktree(run);
        return new Placed(
                new Work.Place(path, origin.common(), origin.base(), origin.branch(), cwd),
                path.resolve(origin.inside()));
    }

    record Placed(Work.Place place, Path cwd) {}

    static Worktree worktree(Run run) {
        var place = run.work().orElseThrow().place();
        return new Worktree(run.id(), place.path(), place.common(), place.base(), place.target());
    }

    /** Sees to it that the attempt finds its worktree as it was left, or as it began; what is there is kept first. */
    void make(Run run, AttemptDirectory attempt) throws IOException {
        if (run.work().isEmpty()) return;
        try (var _ = holds.hold(run.id())) {
            var worktree = worktree(run);
            if (isThere(run) && git(run).isIntact(worktree))
                keep(run, "before attempt " + run.latest().n());
            faults.before(Faults.Step.WORKTREE);
            var made = git(run).ensure(worktree, home.kept(run.id()));
            faults.after(Faults.Step.WORKTREE);
            for (var remark : new FreshWorktree(home, projects, policy).give(run, attempt, made))
                ledger.note(run.id(), run.latest().n(), EventKind.WORKTREE, remark);
            if (run.latest().n() > 1) soon(() -> look(run, 0, Landing.Reach.REMOTE));
            if (made.how() == Made.How.AS_IT_WAS && isThere(run)) return;
            ledger.works().made(run.id());
            ledger.note(run.id(), run.latest().n(), EventKind.WORKTREE, inWords(made, worktree));
        }
    }

    private static String inWords(Made made, Worktree worktree) {
        var how = switch (made.how()) {
            case AS_IT_WAS -> "found as it was";
            case FRESH -> "made from %s".formatted(worktree.base());
            case FROM_BRANCH -> "made again from its branch " + worktree.branch();
            case FROM_RESCUE -> "made again from " + made.ref().orElse("its rescue ref");
        };
        return how
                + made.displaced()
                        .map(place -> "; what stood in its place is in " + place)
                        .orElse("");
    }

    /** Makes a checkpoint, if anything changed since the last one; empty where there is nothing to keep, or that failed. */
    Optional<Checkpoint> keep(Run run, String why) {
        if (!isThere(run) || !isHere(run)) return Optional.empty();
        try (var _ = holds.hold(run.id())) {
            if (ledger.runs()
                    .find(run.id())
                    .filter(now -> isThere(now) && isHere(now))
                    .isEmpty()) return Optional.empty(); // pruned meanwhile, or moved
            var checkpoint = git(run).checkpoint(worktree(run), why, clock.now());
            var known = run.work().flatMap(Work::rescue).map(Work.Rescue::ref);
            if (checkpoint.fresh() || !known.equals(Optional.of(checkpoint.ref()))) kept(run, checkpoint);
            troubles.healed(run.id(), Work.NO_CHECKPOINT);
            return Optional.of(checkpoint);
        } catch (RuntimeException e) {
            troubles.found(run, "%s (%s)".formatted(Work.NO_CHECKPOINT, why), e);
            return Optional.empty();
        }
    }

    /** A checkpoint of somebody else's worktree, which is touched no more than that; the ref that has it. */
    String keepStray(Path path, RunId id) {
        var origin = Origin.of(path);
        var worktree = new Worktree(id, origin.top(), origin.common(), origin.base(), origin.branch());
        return new Worktrees(limits)
                .checkpoint(worktree, "found by roost rescue", clock.now())
                .ref();
    }

    /** A checkpoint is there: it is known by its ref, and others hear of it. */
    void kept(Run run, Checkpoint checkpoint) {
        ledger.works()
                .checkpointed(
                        run.id(),
                        checkpoint.n(),
                        checkpoint.ref(),
                        checkpoint.leftOut().size());
        if (!checkpoint.fresh()) return;
        ledger.note(
                run.id(),
                run.latest().n(),
                EventKind.CHECKPOINT,
                "%s (%s)".formatted(checkpoint.ref(), checkpoint.why()));
        if (run.status() == Status.RUNNING) soon(() -> look(run, 0, Landing.Reach.LOCAL));
        soon(() -> {
            policy.checkpointRemote().ifPresent(remote -> push(run, remote));
            onKept.accept(run);
        });
    }

    /** The latest has all before it. */
    private void push(Run run, String remote) {
        var trouble = "its checkpoints are not on " + remote;
        try {
            var latest = git(run).latest(worktree(run));
            if (latest.isEmpty()) return;
            git(run).push(worktree(run), latest.get(), remote);
            ledger.works().pushed(run.id(), latest.get().n());
            troubles.healed(run.id(), trouble);
        } catch (RuntimeException e) {
            troubles.found(run, trouble, e);
        }
    }

    /** An attempt has ended: its work is kept, and how far its code got is found out; what only the network knows, later. */
    void ended(RunId id, int attempt) {
        var run = ledger.runs()
                .find(id)
                .filter(found -> found.work().isPresent() && isHere(found))
                .map(this::withWhatIsThere);
        if (run.isEmpty()) return;
        // the next one may be at work already
        var status = ledger.runs().attempts(id).get(attempt - 1).status();
        var why = "attempt %d: %s".formatted(attempt, status.word());
        boolean kept = !isThere(run.get())
                || keep(run.get(), why).isPresent()
                || !Files.exists(worktree(run.get()).path());
        look(run.get(), kept ? attempt : 0, Landing.Reach.LOCAL); // what could not be kept is tried again
        if (kept) soon(() -> look(run.get(), attempt, Landing.Reach.REMOTE));
    }

    /** A daemon that died may have made a worktree without a word: it is kept, and removed, as any other. */
    private Run withWhatIsThere(Run run) {
        if (isThere(run)) return run;
        try (var _ = holds.hold(run.id())) {
            if (!Files.isDirectory(worktree(run).path()) || !git(run).isIntact(worktree(run))) return run;
            ledger.works().made(run.id());
            return ledger.runs().find(run.id()).orElse(run);
        } catch (RuntimeException e) {
            troubles.found(run, NO_LANDING, e);
            return run;
        }
    }

    /** How far the run's code got, found out anew. */
    Optional<Landing> look(Run run, int attempt, Landing.Reach reach) {
        return look(run, attempt, reach, new Answers());
    }

    Optional<Landing> look(Run run, int attempt, Landing.Reach reach, Answers answers) {
        if (!isHere(run)) return Optional.empty(); // who has it looks
        if (run.work().isEmpty() || run.work().get().madeAt().isEmpty()) {
            if (run.work().isPresent() && attempt > 0) never(run, attempt);
            return Optional.empty();
        }
        try {
            var landing = git(run).look(worktree(run), reach, answers);
            ledger.works()
                    .landed(run.id(), attempt, landing.stage().word(), landing.inWords(), LandingJson.write(landing));
            troubles.healed(run.id(), NO_LANDING);
            return Optional.of(landing);
        } catch (RuntimeException e) {
            troubles.found(run, NO_LANDING, e);
            return Optional.empty();
        }
    }

    /** It ended before it had a worktree. */
    private void never(Run run, int attempt) {
        ledger.works().landed(run.id(), attempt, Landing.Stage.NOTHING.word(), "nothing: it never began", "{}");
    }

    /** Takes worktrees away, and brings them back. */
    Clearing clearing() {
        return clearing;
    }

    Optional<List<Changed>> changed(Run run) {
        if (run.work().isEmpty() || !isHere(run)) return Optional.empty();
        try {
            return Optional.of(git(run).changed(worktree(run)));
        } catch (RuntimeException e) {
            return Optional.empty(); // the repository is gone
        }
    }

    Optional<List<String>> plainGit(Run run) {
        if (run.work().flatMap(Work::rescue).isEmpty() || !isHere(run)) return Optional.empty();
        try {
            return git(run).latest(worktree(run)).map(checkpoint -> git(run).plainGit(worktree(run), checkpoint));
        } catch (RuntimeException e) {
            return Optional.empty(); // the repository is gone
        }
    }

    /** In the environment that the run was asked for in: there are the keys to its remotes, and the programs it knows. */
    Worktrees git(Run run) {
        for (int n = run.latest().n(); n > 0; n--) {
            try {
                var environment = home.run(run.id()).attempt(n).environment();
                if (!environment.isEmpty()) return git(environment);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the environment of %s is gone".formatted(run.id()), e);
            }
        }
        return new Worktrees(limits);
    }

    Worktrees git(Map<String, String> environment) {
        return new Worktrees(limits, environment);
    }

    private void soon(Runnable work) {
        submit(threads, work);
    }

    private void submit(ExecutorService where, Runnable work) {
        try {
            where.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    if (!leaving) LOG.log(System.Logger.Level.ERROR, "a worktree could not be looked at", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // closing: the next daemon looks
        }
    }

    /** From now on nothing that goes wrong is worth telling: it is interrupted. */
    void leave() {
        leaving = true;
        timer.shutdownNow();
    }

    @Override
    public void close() {
        leave();
        few.shutdownNow();
        threads.shutdownNow();
        try {
            var _ = few.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS)
                    && threads.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
