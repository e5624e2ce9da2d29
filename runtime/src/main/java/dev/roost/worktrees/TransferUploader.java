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
import dev.roost.sharedfiles.SharedFileName;
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
 * Carries what runs would take along to where other nodes find it, while they work: should this machine be lost, another goes
 * on from there. Where there are no other nodes, it does nothing.
 */
public final class TransferUploader implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(TransferUploader.class.getName());
    private static final int AT_ONCE = 4;
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** To write down its conversations, OpenCodeHooks's program has to be started; whoever speaks ACP may be one. */
    private static final Set<String> DEAR = Set.of("opencode", "acp");

    private final Home home;
    private final Clock clock;
    private final Ledger ledger;
    private final Cluster cluster;
    private final WorktreeService keeping;
    private final Duration checkpoints;
    private final Map<RunId, LastUpload> uploads = new ConcurrentHashMap<>();
    private final Set<RunId> underWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService few =
            Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory());

    private volatile boolean closing;

    /** What was last carried of a run's current attempt. */
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
            Home home, Clock clock, Ledger ledger, Cluster cluster, WorktreeService keeping, Duration checkpoints) {
        this.home = home;
        this.clock = clock;
        this.ledger = ledger;
        this.cluster = cluster;
        this.keeping = keeping;
        this.checkpoints = checkpoints;
        if (cluster.isClustered()) {
            packer(new GitWorktrees(CheckpointLimits.DEFAULT)).clear();
            keeping.onCheckpoint(this::checkpointRecorded);
        }
    }

    public BundlePacker packer(GitWorktrees worktrees) {
        return new BundlePacker(worktrees, home.transfers(), BundleLimits.DEFAULT);
    }

    /** Whether its agent has a conversation that can be moved. */
    public static boolean canMoveConversation(RunRecord run) {
        return BundlePacker.canMoveConversation(run.driver());
    }

    /** To be called now and then for each run that is led here; {@code session} is its conversation, once it has one. */
    public void uploadIfDue(RunRecord run, Optional<String> session) {
        if (!cluster.isClustered() || !run.resumeOnLoss() || (canMoveConversation(run) && session.isEmpty())) return;
        var state = state(run);
        long heard = outputBytes(run);
        if (!isDue(run, state, heard) || !underWay.add(run.id())) return;
        boolean first = state.outputBytes < 0;
        state.outputBytes = heard;
        state.at = clock.monotonicNanos();
        runAsync(run, () -> {
            try {
                if (first) reload(run).ifPresent(now -> keeping.checkpoint(now, "so that it can be moved"));
                if (first) packWork(run.id(), state);
                packConversation(run.id(), session, state);
            } finally {
                underWay.remove(run.id());
            }
        });
    }

    private boolean isDue(RunRecord run, LastUpload state, long heard) {
        if (state.outputBytes < 0) return true;
        if (state.outputBytes == heard) return false; // it has said nothing since
        var every = cluster.uploadInterval();
        if (DEAR.contains(run.driver()) && checkpoints.compareTo(every) > 0) every = checkpoints;
        return clock.monotonicNanos() - state.at >= every.toNanos();
    }

    /** How much its agent has said. */
    private long outputBytes(RunRecord run) {
        try {
            return PrivateFiles.size(
                    home.run(run.id()).attempt(run.latest().n()).out());
        } catch (IOException e) {
            return 0;
        }
    }

    /** A checkpoint was made of its worktree. */
    private void checkpointRecorded(RunRecord run) {
        runAsync(run, () -> packWork(run.id(), state(run)));
    }

    /** An attempt is over here: whoever continues the run may do so elsewhere. */
    public void attemptEnded(RunRecord run, Optional<String> session) {
        if (!cluster.isClustered()) return;
        runAsync(run, () -> {
            packConversation(run.id(), session, state(run));
            if (reload(run).filter(now -> now.status().ended()).isPresent()) uploads.remove(run.id());
        });
    }

    /** Everything as it is now; returns when that is done, and false if it could not be. For a run that is about to go elsewhere. */
    public boolean uploadNow(RunRecord run, Optional<String> session) {
        if (!cluster.isClustered()) return true;
        var state = state(run);
        return safely(run, () -> {
            reload(run).ifPresent(now -> keeping.checkpoint(now, "before it is moved"));
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
            try (var bundle = packer(keeping.git(run.get()))
                    .pack(bundleSource(run.get(), session, Optional.empty(), Optional.empty()))) {
                if (bundle.conversation().isEmpty() || bundle.fingerprint().equals(state.conversation)) return;
                if (upload(run.get(), SharedFileName.CONVERSATION, bundle)) state.conversation = bundle.fingerprint();
            }
        }
    }

    private void packWork(RunId id, LastUpload state) {
        synchronized (state) {
            var run = findLocal(id)
                    .filter(one -> one.work().flatMap(WorktreeRecord::madeAt).isPresent());
            if (run.isEmpty()) return;
            var worktree = Optional.of(WorktreeService.worktree(run.get()));
            try (var bundle = packer(keeping.git(run.get()))
                    .pack(bundleSource(run.get(), Optional.empty(), worktree, keeping.pushedTo(run.get())))) {
                if (bundle.work().isEmpty() || bundle.fingerprint().equals(state.work)) return;
                if (upload(run.get(), SharedFileName.WORK, bundle)) state.work = bundle.fingerprint();
            }
        }
    }

    /** The run as it is now, if what there is of it is here. */
    private Optional<RunRecord> findLocal(RunId id) {
        return ledger.runs().find(id).filter(keeping::isLocal);
    }

    private BundleSource bundleSource(
            RunRecord run, Optional<String> session, Optional<Worktree> worktree, Optional<String> pushedTo) {
        int n = last(run);
        return new BundleSource(
                run.id(), n, run.driver(), seat(run, home.run(run.id()).attempt(n)), session, worktree, pushedTo);
    }

    /** The latest attempt that was begun: the one after it may be waiting for a node. */
    private static int last(RunRecord run) {
        int n = run.latest().n();
        return run.status() == Status.QUEUED ? Math.max(1, n - 1) : n;
    }

    /** Where the agent of an attempt works on this machine. */
    public static AgentLocation seat(RunRecord run, AttemptDirectory attempt) {
        var profile = AgentProfile.read(run.profile());
        var program = profile.command().isEmpty() ? Drivers.of(run.driver()).program() : profile.command();
        try {
            return new AgentLocation(program, attempt.environment(), run.cwd());
        } catch (IOException e) {
            return new AgentLocation(program, System.getenv(), run.cwd());
        }
    }

    private boolean endedHere(RunRecord run) {
        var attempt = ledger.runs().attempts(run.id()).get(last(run) - 1);
        return attempt.node().equals(Optional.of(cluster.self()));
    }

    private boolean upload(RunRecord run, SharedFileName name, TransferBundle bundle) {
        try {
            var file = bundle.folder().resolve("packed");
            try (var out = Files.newOutputStream(file)) {
                bundle.write(out);
            }
            try (var in = Files.newInputStream(file)) {
                boolean over = run.status() != Status.RUNNING;
                if (over && !endedHere(run)) return false; // it is another attempt's by now
                return cluster.upload(run.id(), last(run), over, name, in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("%s was not carried".formatted(name), e);
        }
    }

    private void runAsync(RunRecord run, Runnable work) {
        try {
            few.execute(() -> safely(run, work));
        } catch (RejectedExecutionException e) {
            underWay.remove(run.id()); // closing
        }
    }

    private boolean safely(RunRecord run, Runnable work) {
        try {
            work.run();
            return true;
        } catch (RoostError e) {
            var state = state(run);
            if (closing || state.failed) return false; // interrupted, and the next daemon packs; or said before
            state.failed = true;
            ledger.note(run.id(), run.latest().n(), EventKind.TROUBLE, "it cannot be moved now: " + e.sentence());
        } catch (RuntimeException e) {
            if (!closing) LOG.log(System.Logger.Level.WARNING, "%s could not be packed".formatted(run.id()), e);
        }
        return false;
    }

    @Override
    public void close() {
        closing = true;
        few.shutdownNow();
        try {
            var _ = few.awaitTermination(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
