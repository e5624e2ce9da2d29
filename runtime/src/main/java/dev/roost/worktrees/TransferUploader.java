package dev.roost.worktrees;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.Clock;
import dev.roost.base.RoostError;
import dev.roost.git.Worktree;
import dev.roost.git.checkpoint.CheckpointLimits;
import dev.roost.git.worktree.GitWorktrees;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.node.Cluster;
import dev.roost.node.SharedFileName;
import dev.roost.transfer.AgentLocation;
import dev.roost.transfer.BundleLimits;
import dev.roost.transfer.BundlePacker;
import dev.roost.transfer.BundleSource;
import dev.roost.transfer.TransferBundle;
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
 * Uploads the conversations and checkpoints of live runs, so that another node can continue them if this machine is lost. A home
 * outside a cluster has none.
 */
public final class TransferUploader implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(TransferUploader.class.getName());
    private static final int MAX_PARALLEL = 4;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Drivers whose export is slow: it starts the program of OpenCode, which may also be behind the acp driver. */
    private static final Set<String> SLOW_EXPORT = Set.of("opencode", "acp");

    private final Home home;
    private final Clock clock;
    private final Ledger ledger;
    private final Cluster cluster;
    private final WorktreeService worktrees;
    private final Duration uploadEvery;
    private final Duration checkpointEvery;
    private final Map<RunId, LastUpload> uploads = new ConcurrentHashMap<>();
    private final Set<RunId> inProgress = ConcurrentHashMap.newKeySet();
    private final ExecutorService pool =
            Executors.newFixedThreadPool(MAX_PARALLEL, Thread.ofVirtual().factory());

    private volatile boolean closing;

    /** The last upload of a run's current attempt. */
    private static final class LastUpload {
        private final int attempt;
        private long at;
        private long outputBytes = -1;
        private String conversation = "";
        private String work = "";
        private boolean failed;

        LastUpload(int attempt) {
            this.attempt = attempt;
        }
    }

    private LastUpload state(RunRecord run) {
        int n = last(run);
        return uploads.compute(run.id(), (_, old) -> old == null || old.attempt != n ? new LastUpload(n) : old);
    }

    public TransferUploader(
            Home home,
            Clock clock,
            Ledger ledger,
            Cluster cluster,
            WorktreeService worktrees,
            Duration uploadEvery,
            Duration checkpointEvery) {
        this.home = home;
        this.clock = clock;
        this.ledger = ledger;
        this.cluster = cluster;
        this.worktrees = worktrees;
        this.uploadEvery = uploadEvery;
        this.checkpointEvery = checkpointEvery;
        packer(home, new GitWorktrees(CheckpointLimits.DEFAULT)).clear();
        worktrees.onCheckpoint(this::checkpointRecorded);
    }

    public static BundlePacker packer(Home home, GitWorktrees git) {
        return new BundlePacker(git, home.transfers(), BundleLimits.DEFAULT);
    }

    /** Whether the conversation of its agent can be moved to another node. */
    public static boolean canMoveConversation(RunRecord run) {
        return BundlePacker.canMoveConversation(run.driver());
    }

    /** Starts an upload if one is due; called by each sweep. {@code session} is the id of the conversation, once known. */
    public void uploadIfDue(RunRecord run, Optional<String> session) {
        if (!run.resumeOnLoss() || (canMoveConversation(run) && session.isEmpty())) return;
        var state = state(run);
        long bytes = outputBytes(run);
        if (!isDue(run, state, bytes) || !inProgress.add(run.id())) return;
        boolean first = state.outputBytes < 0;
        state.outputBytes = bytes;
        state.at = clock.monotonicNanos();
        runAsync(run, () -> {
            try {
                if (first) reload(run).ifPresent(now -> worktrees.checkpoint(now, "so that it can be moved"));
                if (first) packWork(run.id(), state);
                packConversation(run.id(), session, state);
            } finally {
                inProgress.remove(run.id());
            }
        });
    }

    private boolean isDue(RunRecord run, LastUpload state, long bytes) {
        if (state.outputBytes < 0) return true;
        if (state.outputBytes == bytes) return false; // no output since the last upload
        boolean slow = SLOW_EXPORT.contains(run.driver()) && checkpointEvery.compareTo(uploadEvery) > 0;
        var every = slow ? checkpointEvery : uploadEvery;
        return clock.monotonicNanos() - state.at >= every.toNanos();
    }

    /** The length of the agent's raw output. */
    private long outputBytes(RunRecord run) {
        try {
            return PrivateFiles.size(
                    home.run(run.id()).attempt(run.latest().n()).out());
        } catch (IOException e) {
            return 0;
        }
    }

    /** Uploads the worktree after a checkpoint of it. */
    private void checkpointRecorded(RunRecord run) {
        runAsync(run, () -> packWork(run.id(), state(run)));
    }

    /** Uploads the conversation after an attempt has ended, as another node may continue the run. */
    public void attemptEnded(RunRecord run, Optional<String> session) {
        runAsync(run, () -> {
            packConversation(run.id(), session, state(run));
            if (reload(run).filter(now -> now.status().ended()).isPresent()) uploads.remove(run.id());
        });
    }

    /** Uploads everything now, for a run that may move; returns after the upload, false if it failed. */
    public boolean uploadNow(RunRecord run, Optional<String> session) {
        var state = state(run);
        return safely(run, () -> {
            reload(run).ifPresent(now -> worktrees.checkpoint(now, "before it is moved"));
            packWork(run.id(), state);
            packConversation(run.id(), session, state);
        });
    }

    private Optional<RunRecord> reload(RunRecord run) {
        return ledger.runs().find(run.id());
    }

    private void packConversation(RunId id, Optional<String> session, LastUpload state) {
        synchronized (state) {
            var run = findLocal(id);
            if (run.isEmpty() || session.isEmpty() || !canMoveConversation(run.get())) return;
            try (var bundle = packer(home, worktrees.git(run.get()))
                    .pack(bundleSource(run.get(), session, Optional.empty(), Optional.empty()))) {
                if (bundle.conversation().isEmpty() || bundle.fingerprint().equals(state.conversation)) return;
                if (upload(run.get(), SharedFileName.CONVERSATION, bundle)) state.conversation = bundle.fingerprint();
            }
        }
    }

    private void packWork(RunId id, LastUpload state) {
        synchronized (state) {
            var run = findLocal(id)
                    .filter(current ->
                            current.work().flatMap(WorktreeRecord::madeAt).isPresent());
            if (run.isEmpty()) return;
            var worktree = Optional.of(WorktreeService.worktree(run.get()));
            try (var bundle = packer(home, worktrees.git(run.get()))
                    .pack(bundleSource(run.get(), Optional.empty(), worktree, worktrees.pushedTo(run.get())))) {
                if (bundle.work().isEmpty() || bundle.fingerprint().equals(state.work)) return;
                if (upload(run.get(), SharedFileName.WORK, bundle)) state.work = bundle.fingerprint();
            }
        }
    }

    /** The current row of the run, if its files are on this node. */
    private Optional<RunRecord> findLocal(RunId id) {
        return ledger.runs().find(id).filter(worktrees::isLocal);
    }

    private BundleSource bundleSource(
            RunRecord run, Optional<String> session, Optional<Worktree> worktree, Optional<String> pushedTo) {
        int n = last(run);
        return new BundleSource(
                run.id(), n, run.driver(), location(run, home.run(run.id()).attempt(n)), session, worktree, pushedTo);
    }

    /** The latest started attempt: a queued run's latest attempt has not started. */
    private static int last(RunRecord run) {
        int n = run.latest().n();
        return run.status() == Status.QUEUED ? Math.max(1, n - 1) : n;
    }

    /** The program, environment and directory of an attempt's agent on this machine. */
    public static AgentLocation location(RunRecord run, AttemptDirectory attempt) {
        var profile = AgentProfile.read(run.profile());
        var program = profile.command().isEmpty() ? Drivers.of(run.driver()).program() : profile.command();
        try {
            return new AgentLocation(program, attempt.environment(), run.cwd());
        } catch (IOException e) {
            return new AgentLocation(program, System.getenv(), run.cwd());
        }
    }

    private boolean endedHere(RunRecord run) {
        return cluster.membership().ran(ledger.runs().attempts(run.id()).get(last(run) - 1));
    }

    private boolean upload(RunRecord run, SharedFileName name, TransferBundle bundle) {
        try {
            var file = bundle.folder().resolve("packed");
            try (var out = Files.newOutputStream(file)) {
                bundle.write(out);
            }
            try (var in = Files.newInputStream(file)) {
                boolean over = run.status() != Status.RUNNING;
                if (over && !endedHere(run)) return false; // another node has run a later attempt
                return cluster.output().upload(run.id(), last(run), over, name, in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("%s was not uploaded".formatted(name), e);
        }
    }

    private void runAsync(RunRecord run, Runnable work) {
        try {
            pool.execute(() -> safely(run, work));
        } catch (RejectedExecutionException e) {
            inProgress.remove(run.id()); // the uploader is closing
        }
    }

    private boolean safely(RunRecord run, Runnable work) {
        try {
            work.run();
            return true;
        } catch (RoostError e) {
            var state = state(run);
            if (closing || state.failed)
                return false; // closing interrupts it, and the next daemon retries; or the failure is noted already
            state.failed = true;
            ledger.note(run.id(), run.latest().n(), EventKind.TROUBLE, "it cannot be moved now: " + e.sentence());
        } catch (RuntimeException e) {
            if (!closing) LOG.log(System.Logger.Level.WARNING, "%s could not be uploaded".formatted(run.id()), e);
        }
        return false;
    }

    @Override
    public void close() {
        closing = true;
        pool.shutdownNow();
        try {
            var _ = pool.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
