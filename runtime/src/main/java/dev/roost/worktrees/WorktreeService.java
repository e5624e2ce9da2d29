package dev.roost.worktrees;

import dev.roost.base.Clock;
import dev.roost.base.FaultPoints;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.config.WorktreePolicy;
import dev.roost.git.KeyedLocks;
import dev.roost.git.RepositoryOrigin;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.Checkpoint;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.checkpoint.SpecialFile;
import dev.roost.git.worktree.ChangedFile;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.landing.Landing;
import dev.roost.landing.RemoteRefs.RemoteAnswers;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.Membership;
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

/** Makes the worktree of a run before an attempt, checkpoints it during the attempt, and inspects it after the end. */
public final class WorktreeService implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(WorktreeService.class.getName());
    private static final int MAX_PARALLEL = Math.max(8, Runtime.getRuntime().availableProcessors());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final String NO_LANDING = "how far its code got is not known";

    private final Home home;
    private final WorktreePolicy policy;
    private final FaultPoints faults;
    private final Clock clock;
    private final Ledger ledger;
    private final ProjectLookup projectLookup;
    private final CheckpointLimits limits;
    private final KeyedLocks<RunId> runLocks = new KeyedLocks<>();
    private final WorktreeProblems problems;
    private final WorktreeCleanup cleanup;
    private final Set<RunId> inProgress = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("roost-keep-", 0).factory());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("roost-keep").factory());

    private final ExecutorService checkpointPool =
            Executors.newFixedThreadPool(MAX_PARALLEL, Thread.ofVirtual().factory());
    private volatile boolean closing;

    private final Membership membership;
    private volatile Consumer<RunRecord> onCheckpoint = _ -> {};

    public WorktreeService(
            Home home,
            EngineConfig config,
            Clock clock,
            Ledger ledger,
            ProjectLookup projectLookup,
            Membership membership) {
        this.membership = membership;
        this.home = home;
        this.policy = config.worktreePolicy();
        this.faults = config.faults();
        this.clock = clock;
        this.ledger = ledger;
        this.projectLookup = projectLookup;
        this.limits = new CheckpointLimits(policy.largestFile(), policy.ignoredToo());
        this.problems = new WorktreeProblems(ledger, () -> closing);
        this.cleanup = new WorktreeCleanup(this, runLocks, home, clock, ledger, membership);
    }

    /** Inspects the worktrees that the last daemon left uninspected, and starts the periodic checkpoints. */
    public void start() {
        runAsync(this::inspectEnded);
        long every = policy.checkpointEvery().toMillis();
        var _ = timer.scheduleWithFixedDelay(this::tick, every, every, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            for (var run : liveRuns())
                runOnce(run.id(), () -> checkpoint(run, "every " + TextFormat.span(policy.checkpointEvery())));
            inspectEnded();
            policy.checkpointRemote().ifPresent(remote -> {
                for (var run : ledger.worktrees().unpushed())
                    if (isLocal(run)) runAsync(() -> push(run, remote)); // the push after the checkpoint failed
            });
        } catch (Throwable e) { // an exception would cancel all further ticks
            LOG.log(System.Logger.Level.ERROR, "the periodic checkpoints failed; will retry", e);
        }
    }

    private void inspectEnded() {
        for (var run : ledger.worktrees().uninspected())
            runOnce(run.id(), () -> attemptEnded(run.id(), run.latest().n()));
    }

    /** Runs the work in parallel with other runs, but only once at a time per run: a hanging one must not delay the others. */
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

    /** The running runs on this node that have a worktree. */
    public List<RunRecord> liveRuns() {
        return ledger.runs().running().stream()
                .filter(run -> hasWorktree(run) && isLocal(run))
                .toList();
    }

    private static boolean hasWorktree(RunRecord run) {
        return run.work().filter(WorktreeRecord::isThere).isPresent();
    }

    /** Whether this node has the run's files. */
    public boolean isLocal(RunRecord run) {
        return membership.holds(run);
    }

    /** Sets the listener for new checkpoints; called after the push to the checkpoint remote, if there is one. */
    void onCheckpoint(Consumer<RunRecord> listener) {
        onCheckpoint = listener;
    }

    /** The checkpoint remote, if it has the run's latest checkpoint. */
    Optional<String> pushedTo(RunRecord run) {
        return policy.checkpointRemote()
                .filter(_ -> ledger.worktrees().unpushed().stream()
                        .noneMatch(unpushed -> unpushed.id().equals(run.id())));
    }

    static Worktree worktree(RunRecord run) {
        var place = run.work().orElseThrow().place();
        return new Worktree(run.id(), place.path(), place.common(), place.base(), place.target());
    }

    /** Makes or restores the worktree for the attempt, after a checkpoint of the existing one. */
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
            case AS_IT_WAS -> "found unchanged";
            case FRESH -> "made from %s".formatted(worktree.base());
            case FROM_BRANCH -> "restored from its branch " + worktree.branch();
            case FROM_RESCUE -> "restored from " + ensureResult.ref().orElse("its rescue ref");
        };
        return how
                + ensureResult
                        .displaced()
                        .map(place -> "; the files at its path were moved to " + place)
                        .orElse("");
    }

    /** Makes a checkpoint if anything changed since the last one; empty if there is no worktree or the checkpoint failed. */
    public Optional<Checkpoint> checkpoint(RunRecord run, String why) {
        if (!hasWorktree(run) || !isLocal(run)) return Optional.empty();
        try (var _ = runLocks.lock(run.id())) {
            if (ledger.runs()
                    .find(run.id())
                    .filter(now -> hasWorktree(now) && isLocal(now))
                    .isEmpty()) return Optional.empty(); // pruned or moved meanwhile
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

    /** Makes a checkpoint of a worktree that does not belong to Roost, without changing it; returns the ref. */
    public String checkpointStray(Path path, RunId id) {
        var origin = RepositoryOrigin.of(path);
        var worktree = new Worktree(id, origin.top(), origin.common(), origin.base(), origin.branch());
        return new GitWorktrees(limits)
                .checkpoint(worktree, "found by roost rescue", clock.now())
                .ref();
    }

    /** Records a checkpoint in the ledger; a new one is also noted, pushed and passed to the listener. */
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
                "%s (%s)%s".formatted(checkpoint.ref(), checkpoint.why(), rawBytes(checkpoint)));
        if (run.status() == Status.RUNNING) runAsync(() -> refreshLanding(run, 0, Landing.LookupScope.LOCAL));
        runAsync(() -> {
            policy.checkpointRemote().ifPresent(remote -> push(run, remote));
            onCheckpoint.accept(run);
        });
    }

    private static String rawBytes(Checkpoint checkpoint) {
        return checkpoint.special().isEmpty()
                ? ""
                : "; as they lie on the disk: " + SpecialFile.inWords(checkpoint.special());
    }

    /** Pushes the latest checkpoint, which contains all earlier ones. */
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

    /** Checkpoints and inspects the worktree of an ended attempt: locally first, then with the remotes in the background. */
    public void attemptEnded(RunId id, int attempt) {
        var run = ledger.runs()
                .find(id)
                .filter(found -> found.work().isPresent() && isLocal(found))
                .map(this::recordFoundWorktree);
        if (run.isEmpty()) return;
        // the next attempt may already run, so the run's own status does not apply
        var status = ledger.runs().attempts(id).get(attempt - 1).status();
        var why = "attempt %d: %s".formatted(attempt, status.word());
        boolean saved = !hasWorktree(run.get())
                || checkpoint(run.get(), why).isPresent()
                || !Files.exists(worktree(run.get()).path());
        refreshLanding(run.get(), saved ? attempt : 0, Landing.LookupScope.LOCAL); // 0: a failed checkpoint is retried
        if (saved) runAsync(() -> refreshLanding(run.get(), attempt, Landing.LookupScope.REMOTE));
    }

    /** Records an existing worktree that a daemon made but did not record before it died. */
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

    /** Computes and records the landing of the run; {@code attempt} 0 does not mark an attempt as inspected. */
    public Optional<Landing> refreshLanding(RunRecord run, int attempt, Landing.LookupScope reach) {
        return refreshLanding(run, attempt, reach, new RemoteAnswers());
    }

    public Optional<Landing> refreshLanding(
            RunRecord run, int attempt, Landing.LookupScope reach, RemoteAnswers answers) {
        if (!isLocal(run)) return Optional.empty(); // the node that has the files does it
        if (run.work().isEmpty() || run.work().get().madeAt().isEmpty()) {
            if (run.work().isPresent() && attempt > 0) recordNeverStarted(run, attempt);
            return Optional.empty();
        }
        try {
            var landing = git(run).landing(worktree(run), reach, answers);
            ledger.worktrees()
                    .recordLanding(run.id(), attempt, landing.stage().word(), landing.inWords(), landing.json());
            problems.clear(run.id(), NO_LANDING);
            return Optional.of(landing);
        } catch (RuntimeException e) {
            problems.report(run, NO_LANDING, e);
            return Optional.empty();
        }
    }

    /** Records the landing of an attempt that ended before it had a worktree. */
    private void recordNeverStarted(RunRecord run, int attempt) {
        ledger.worktrees()
                .recordLanding(run.id(), attempt, Landing.Stage.NOTHING.word(), "nothing: it never started", "{}");
    }

    /** Removes and restores worktrees. */
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

    /** Git with the environment of the run's request, which has the credentials of its remotes and its PATH. */
    public GitWorktrees git(RunRecord run) {
        for (int n = run.latest().n(); n > 0; n--) {
            try {
                var environment = home.run(run.id()).attempt(n).environment();
                if (!environment.isEmpty()) return git(environment);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the environment of %s is missing".formatted(run.id()), e);
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

    private void submit(ExecutorService executor, Runnable work) {
        try {
            executor.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    if (!closing) LOG.log(System.Logger.Level.ERROR, "a background task of a worktree failed", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // closing: the next daemon repeats the work
        }
    }

    /** Stops the periodic checkpoints; errors are not reported from now on, as closing interrupts the work. */
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
            var _ = checkpointPool.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    && threads.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
