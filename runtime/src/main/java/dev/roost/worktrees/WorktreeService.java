package dev.roost.worktrees;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.config.WorktreePolicy;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.ChangedFile;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.landing.Landing;
import dev.roost.landing.RemoteAnswers;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.Cluster;
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
public final class WorktreeService implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(WorktreeService.class.getName());
    private static final int AT_ONCE = Math.max(8, Runtime.getRuntime().availableProcessors());
    private static final Duration GOODBYE = Duration.ofSeconds(2);
    private static final String NO_LANDING = "how far its code got is not known";

    private final Home home;
    private final WorktreePolicy policy;
    private final FaultPoints faults;
    private final Clock clock;
    private final Ledger ledger;
    private final ProjectLookup projectLookup;
    private final CheckpointLimits limits;
    private final RunLocks runLocks = new RunLocks();
    private final WorktreeProblems problems;
    private final WorktreeCleanup cleanup;
    private final Set<RunId> inProgress = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-keep-", 0).factory());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-keep").factory());

    private final ExecutorService checkpointPool =
            Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory());
    private volatile boolean closing;

    private final Cluster cluster;
    private volatile Consumer<RunRecord> onCheckpoint = _ -> {};

    public WorktreeService(
            Home home, EngineConfig config, Clock clock, Ledger ledger, ProjectLookup projectLookup, Cluster cluster) {
        this.cluster = cluster;
        this.home = home;
        this.policy = config.worktreePolicy();
        this.faults = config.faults();
        this.clock = clock;
        this.ledger = ledger;
        this.projectLookup = projectLookup;
        this.limits = new CheckpointLimits(policy.largestFile(), policy.ignoredToo());
        this.problems = new WorktreeProblems(ledger, () -> closing);
        this.cleanup = new WorktreeCleanup(this, runLocks, home, clock, ledger, cluster);
    }

    /** Looks at what the last daemon did not come to, and from now on makes a checkpoint of everything every few minutes. */
    public void start() {
        runAsync(this::refreshEnded);
        long every = policy.checkpointEvery().toMillis();
        var _ = timer.scheduleWithFixedDelay(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            for (var run : liveRuns())
                runOnce(run.id(), () -> checkpoint(run, "every " + TextFormat.span(policy.checkpointEvery())));
            refreshEnded();
            policy.checkpointRemote().ifPresent(remote -> {
                for (var run : ledger.worktrees().unpushed())
                    if (isLocal(run)) runAsync(() -> push(run, remote)); // what failed when it was made
            });
        } catch (Throwable e) { // whatever it was, the next one must come
            LOG.log(System.Logger.Level.ERROR, "the checkpoints could not be made", e);
        }
    }

    private void refreshEnded() {
        for (var run : ledger.worktrees().uninspected())
            runOnce(run.id(), () -> attemptEnded(run.id(), run.latest().n()));
    }

    /** Some at once, each run once: one that hangs keeps no other from its checkpoint. */
    private void runOnce(RunId run, Runnable work) {
        if (!inProgress.add(run)) return;
        submit(checkpointPool, () -> {
            try {
                work.run();
            } finally {
                inProgress.remove(run);
            }
        });
    }

    /** Those that run here and have a worktree. */
    public List<RunRecord> liveRuns() {
        return ledger.runs().running().stream()
                .filter(run -> hasWorktree(run) && isLocal(run))
                .toList();
    }

    private static boolean hasWorktree(RunRecord run) {
        return run.work().filter(WorktreeRecord::isThere).isPresent();
    }

    /** Whether this node has what there is of the run outside of the ledger. */
    public boolean isLocal(RunRecord run) {
        return !cluster.isClustered() || run.holder().equals(Optional.of(cluster.self()));
    }

    /** To be told of each checkpoint that has something new, once it is on its remote if there is one for them. */
    void onCheckpoint(Consumer<RunRecord> listener) {
        onCheckpoint = listener;
    }

    /** The remote that has the run's latest checkpoint. */
    Optional<String> pushedTo(RunRecord run) {
        return policy.checkpointRemote()
                .filter(_ -> ledger.worktrees().unpushed().stream()
                        .noneMatch(one -> one.id().equals(run.id())));
    }

    /** Where a run that is asked for in {@code cwd} will have its worktree, and the directory in it where it works. */
    public PlannedWorktree place(RunId run, Path cwd) {
        var origin = RepositoryOrigin.of(cwd);
        var path = home.worktree(run);
        return new PlannedWorktree(
                new WorktreeRecord.WorktreePlace(path, origin.common(), origin.base(), origin.branch(), cwd),
                path.resolve(origin.inside()));
    }

    public record PlannedWorktree(WorktreeRecord.WorktreePlace place, Path cwd) {}

    static Worktree worktree(RunRecord run) {
        var place = run.work().orElseThrow().place();
        return new Worktree(run.id(), place.path(), place.common(), place.base(), place.target());
    }

    /** Sees to it that the attempt finds its worktree as it was left, or as it began; what is there is kept first. */
    public void prepareWorktree(RunRecord run, AttemptDirectory attempt) throws IOException {
        if (run.work().isEmpty()) return;
        try (var _ = runLocks.lock(run.id())) {
            var worktree = worktree(run);
            if (hasWorktree(run) && git(run).isIntact(worktree))
                checkpoint(run, "before attempt " + run.latest().n());
            faults.before(FaultPoints.Step.WORKTREE);
            var ensureResult = git(run).ensure(worktree, home.keptFiles(run.id()));
            faults.after(FaultPoints.Step.WORKTREE);
            for (var remark : new WorktreeSetup(home, projectLookup, policy).apply(run, attempt, ensureResult))
                ledger.note(run.id(), run.latest().n(), EventKind.WORKTREE, remark);
            if (run.latest().n() > 1) runAsync(() -> refreshLanding(run, 0, Landing.LookupScope.REMOTE));
            if (ensureResult.how() == EnsureResult.EnsureAction.AS_IT_WAS && hasWorktree(run)) return;
            ledger.worktrees().recordMade(run.id());
            ledger.note(run.id(), run.latest().n(), EventKind.WORKTREE, inWords(ensureResult, worktree));
        }
    }

    private static String inWords(EnsureResult ensureResult, Worktree worktree) {
        var how = switch (ensureResult.how()) {
            case AS_IT_WAS -> "found as it was";
            case FRESH -> "made from %s".formatted(worktree.base());
            case FROM_BRANCH -> "made again from its branch " + worktree.branch();
            case FROM_RESCUE -> "made again from " + ensureResult.ref().orElse("its rescue ref");
        };
        return how
                + ensureResult
                        .displaced()
                        .map(place -> "; what stood in its place is in " + place)
                        .orElse("");
    }

    /** Makes a checkpoint, if anything changed since the last one; empty where there is nothing to keep, or that failed. */
    public Optional<Checkpoint> checkpoint(RunRecord run, String why) {
        if (!hasWorktree(run) || !isLocal(run)) return Optional.empty();
        try (var _ = runLocks.lock(run.id())) {
            if (ledger.runs()
                    .find(run.id())
                    .filter(now -> hasWorktree(now) && isLocal(now))
                    .isEmpty()) return Optional.empty(); // pruned meanwhile, or moved
            var checkpoint = git(run).checkpoint(worktree(run), why, clock.now());
            var known = run.work().flatMap(WorktreeRecord::rescue).map(WorktreeRecord.CheckpointState::ref);
            if (checkpoint.isNew() || !known.equals(Optional.of(checkpoint.ref()))) recordCheckpoint(run, checkpoint);
            problems.clear(run.id(), WorktreeRecord.NO_CHECKPOINT);
            return Optional.of(checkpoint);
        } catch (RuntimeException e) {
            problems.report(run, "%s (%s)".formatted(WorktreeRecord.NO_CHECKPOINT, why), e);
            return Optional.empty();
        }
    }

    /** A checkpoint of somebody else's worktree, which is touched no more than that; the ref that has it. */
    public String checkpointStray(Path path, RunId id) {
        var origin = RepositoryOrigin.of(path);
        var worktree = new Worktree(id, origin.top(), origin.common(), origin.base(), origin.branch());
        return new GitWorktrees(limits)
                .checkpoint(worktree, "found by roost rescue", clock.now())
                .ref();
    }

    /** A checkpoint is there: it is known by its ref, and others hear of it. */
    void recordCheckpoint(RunRecord run, Checkpoint checkpoint) {
        ledger.worktrees()
                .recordCheckpoint(
                        run.id(),
                        checkpoint.n(),
                        checkpoint.ref(),
                        checkpoint.omitted().size());
        if (!checkpoint.isNew()) return;
        ledger.note(
                run.id(),
                run.latest().n(),
                EventKind.CHECKPOINT,
                "%s (%s)".formatted(checkpoint.ref(), checkpoint.why()));
        if (run.status() == Status.RUNNING) runAsync(() -> refreshLanding(run, 0, Landing.LookupScope.LOCAL));
        runAsync(() -> {
            policy.checkpointRemote().ifPresent(remote -> push(run, remote));
            onCheckpoint.accept(run);
        });
    }

    /** The latest has all before it. */
    private void push(RunRecord run, String remote) {
        var trouble = "its checkpoints are not on " + remote;
        try {
            var latest = git(run).latest(worktree(run));
            if (latest.isEmpty()) return;
            git(run).push(worktree(run), latest.get(), remote);
            ledger.worktrees().recordPushed(run.id(), latest.get().n());
            problems.clear(run.id(), trouble);
        } catch (RuntimeException e) {
            problems.report(run, trouble, e);
        }
    }

    /** An attempt has ended: its work is kept, and how far its code got is found out; what only the network knows, later. */
    public void attemptEnded(RunId id, int attempt) {
        var run = ledger.runs()
                .find(id)
                .filter(found -> found.work().isPresent() && isLocal(found))
                .map(this::recordFoundWorktree);
        if (run.isEmpty()) return;
        // the next one may be at work already
        var status = ledger.runs().attempts(id).get(attempt - 1).status();
        var why = "attempt %d: %s".formatted(attempt, status.word());
        boolean kept = !hasWorktree(run.get())
                || checkpoint(run.get(), why).isPresent()
                || !Files.exists(worktree(run.get()).path());
        refreshLanding(
                run.get(), kept ? attempt : 0, Landing.LookupScope.LOCAL); // what could not be kept is tried again
        if (kept) runAsync(() -> refreshLanding(run.get(), attempt, Landing.LookupScope.REMOTE));
    }

    /** A daemon that died may have made a worktree without a word: it is kept, and removed, as any other. */
    private RunRecord recordFoundWorktree(RunRecord run) {
        if (hasWorktree(run)) return run;
        try (var _ = runLocks.lock(run.id())) {
            if (!Files.isDirectory(worktree(run).path()) || !git(run).isIntact(worktree(run))) return run;
            ledger.worktrees().recordMade(run.id());
            return ledger.runs().find(run.id()).orElse(run);
        } catch (RuntimeException e) {
            problems.report(run, NO_LANDING, e);
            return run;
        }
    }

    /** How far the run's code got, found out anew. */
    public Optional<Landing> refreshLanding(RunRecord run, int attempt, Landing.LookupScope reach) {
        return refreshLanding(run, attempt, reach, new RemoteAnswers());
    }

    public Optional<Landing> refreshLanding(
            RunRecord run, int attempt, Landing.LookupScope reach, RemoteAnswers answers) {
        if (!isLocal(run)) return Optional.empty(); // who has it looks
        if (run.work().isEmpty() || run.work().get().madeAt().isEmpty()) {
            if (run.work().isPresent() && attempt > 0) recordNeverStarted(run, attempt);
            return Optional.empty();
        }
        try {
            var landing = git(run).landing(worktree(run), reach, answers);
            ledger.worktrees()
                    .recordLanding(
                            run.id(), attempt, landing.stage().word(), landing.inWords(), LandingJson.write(landing));
            problems.clear(run.id(), NO_LANDING);
            return Optional.of(landing);
        } catch (RuntimeException e) {
            problems.report(run, NO_LANDING, e);
            return Optional.empty();
        }
    }

    /** It ended before it had a worktree. */
    private void recordNeverStarted(RunRecord run, int attempt) {
        ledger.worktrees()
                .recordLanding(run.id(), attempt, Landing.Stage.NOTHING.word(), "nothing: it never began", "{}");
    }

    /** Takes worktrees away, and brings them back. */
    public WorktreeCleanup cleanup() {
        return cleanup;
    }

    public Optional<List<ChangedFile>> changed(RunRecord run) {
        if (run.work().isEmpty() || !isLocal(run)) return Optional.empty();
        try {
            return Optional.of(git(run).changed(worktree(run)));
        } catch (RuntimeException e) {
            return Optional.empty(); // the repository is gone
        }
    }

    public Optional<List<String>> plainGit(RunRecord run) {
        if (run.work().flatMap(WorktreeRecord::rescue).isEmpty() || !isLocal(run)) return Optional.empty();
        try {
            return git(run).latest(worktree(run)).map(checkpoint -> git(run).plainGit(worktree(run), checkpoint));
        } catch (RuntimeException e) {
            return Optional.empty(); // the repository is gone
        }
    }

    /** In the environment that the run was asked for in: there are the keys to its remotes, and the programs it knows. */
    public GitWorktrees git(RunRecord run) {
        for (int n = run.latest().n(); n > 0; n--) {
            try {
                var environment = home.run(run.id()).attempt(n).environment();
                if (!environment.isEmpty()) return git(environment);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the environment of %s is gone".formatted(run.id()), e);
            }
        }
        return new GitWorktrees(limits);
    }

    public GitWorktrees git(Map<String, String> environment) {
        return new GitWorktrees(limits, environment);
    }

    private void runAsync(Runnable work) {
        submit(threads, work);
    }

    private void submit(ExecutorService where, Runnable work) {
        try {
            where.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    if (!closing) LOG.log(System.Logger.Level.ERROR, "a worktree could not be looked at", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // closing: the next daemon looks
        }
    }

    /** From now on nothing that goes wrong is worth telling: it is interrupted. */
    public void stopTimer() {
        closing = true;
        timer.shutdownNow();
    }

    @Override
    public void close() {
        stopTimer();
        checkpointPool.shutdownNow();
        threads.shutdownNow();
        try {
            var _ = checkpointPool.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS)
                    && threads.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
