package dev.roost.attempt;

import dev.roost.base.FaultPoints;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.EventKind;
import dev.roost.model.ProcessId;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Gets an attempt ready and lets its perch start it: its worktree, what it brought along, the words that it is known by. */
final class PerchLaunch {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final AgentConversation conversation;
    private final Object making = new Object();

    private Optional<Thread> maker = Optional.empty();
    private boolean isSetUp;

    PerchLaunch(
            RuntimeContext context,
            RunRecord run,
            AttemptDirectory directory,
            ProcessTree tree,
            AgentConversation conversation) {
        this.context = context;
        this.run = run;
        this.directory = directory;
        this.tree = tree;
        this.conversation = conversation;
        this.isSetUp = run.work().isEmpty();
    }

    /** The perch that was sent; none if it was halted while it got ready, and the next step, or daemon, sees to it. */
    Optional<ProcessId> launch(BooleanSupplier halted) throws IOException {
        makeWorktree(halted);
        if (halted.getAsBoolean()) return Optional.empty();
        resumeAfterMove();
        var cookies = new LinkedHashMap<String, String>();
        cookies.put("ROOST_HOME", context.home().root().toString());
        cookies.put("ROOST_OWNER", run.owner().id());
        cookies.put("ROOST_RUN_ID", run.id().text());
        cookies.put("ROOST_ATTEMPT", Integer.toString(run.latest().n()));
        cookies.put("ROOST_TURN", Integer.toString(run.latest().turn()));
        cookies.put("ROOST_RESULT_FILE", directory.result().toString());
        context.faults().before(FaultPoints.Step.SPAWN);
        var sent = context.launcher().launch(tree, directory, cookies);
        context.faults().after(FaultPoints.Step.SPAWN);
        return Optional.of(sent);
    }

    /** Git may take its time over that, but a stop does not wait for it. */
    private void makeWorktree(BooleanSupplier halted) throws IOException {
        synchronized (making) {
            maker = Optional.of(Thread.currentThread());
        }
        try {
            if (!halted.getAsBoolean()) context.worktrees().prepareWorktree(run, directory);
        } finally {
            synchronized (making) {
                maker = Optional.empty();
                var _ = Thread.interrupted(); // it was meant for git
            }
        }
    }

    /** Who waits for git need not. */
    void interrupt() {
        synchronized (making) {
            maker.ifPresent(Thread::interrupt);
        }
    }

    /** It may come from another machine. */
    private void resumeAfterMove() throws IOException {
        var relocation = new RunRelocation(context);
        relocation.restoreConversation(run, directory);
        var remark = relocation.remark(run);
        if (remark.isEmpty() || hasEvent(EventKind.RESUMED)) return;
        conversation.appendRemark(remark.get());
        conversation.save();
        context.ledger().note(run.id(), run.latest().n(), EventKind.RESUMED, remark.get());
    }

    private boolean hasEvent(EventKind kind) {
        return context.ledger().runs().events(run.id()).stream()
                .anyMatch(event ->
                        kind.is(event.kind()) && event.attempt() == run.latest().n());
    }

    boolean isSetUp() {
        return isSetUp;
    }

    /** What the setup of its worktree printed belongs to its output. */
    void setUp() throws IOException {
        if (isSetUp) return;
        var said = directory.setup().said();
        if (said.isEmpty()) return;
        isSetUp = true;
        if (hasEvent(EventKind.SETUP)) return;
        var failed = directory.setup().failed();
        conversation.appendRemark("setup %s\n%s"
                .formatted(
                        failed.map(status -> "failed with exit status " + status)
                                .orElse("done"),
                        said.get()));
        conversation.save();
        context.ledger().note(run.id(), run.latest().n(), EventKind.SETUP, failed.isPresent() ? "failed" : "done");
    }
}
