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

/** Launches the perch of an attempt, after it has made the worktree and restored the conversation of a moved run. */
final class PerchLaunch {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptDirectory directory;
    private final ProcessTree tree;
    private final AgentConversation conversation;
    private final Object makerLock = new Object();

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

    /** The launched perch; empty if the attempt was halted first. Then the next step, or the next daemon, handles it. */
    Optional<ProcessId> launch(BooleanSupplier halted) throws IOException {
        makeWorktree(halted);
        if (halted.getAsBoolean()) return Optional.empty();
        resumeAfterMove();
        var variables = new LinkedHashMap<String, String>();
        variables.put("ROOST_HOME", context.home().root().toString());
        variables.put("ROOST_OWNER", run.owner().id());
        variables.put("ROOST_RUN_ID", run.id().text());
        variables.put("ROOST_ATTEMPT", Integer.toString(run.latest().n()));
        variables.put("ROOST_TURN", Integer.toString(run.latest().turn()));
        variables.put("ROOST_RESULT_FILE", directory.result().toString());
        context.faults().before(FaultPoints.Step.SPAWN);
        var perch = context.launcher().launch(tree, directory, variables);
        context.faults().after(FaultPoints.Step.SPAWN);
        return Optional.of(perch);
    }

    /** Makes the worktree with git. A stop interrupts this. */
    private void makeWorktree(BooleanSupplier halted) throws IOException {
        synchronized (makerLock) {
            maker = Optional.of(Thread.currentThread());
        }
        try {
            if (!halted.getAsBoolean()) context.worktrees().prepareWorktree(run, directory);
        } finally {
            synchronized (makerLock) {
                maker = Optional.empty();
                var _ = Thread.interrupted(); // clears an interrupt meant for git
            }
        }
    }

    /** Interrupts git if a thread waits for it. */
    void interrupt() {
        synchronized (makerLock) {
            maker.ifPresent(Thread::interrupt);
        }
    }

    /** Restores the conversation and notes the resumption if the run comes from another node. */
    private void resumeAfterMove() throws IOException {
        var relocation = new RunRelocation(context);
        relocation.restoreConversation(run, directory);
        var remark = relocation.remark(run);
        if (remark.isEmpty() || hasEvent(EventKind.RESUMED)) return;
        conversation.appendRemark(remark.get());
        conversation.save();
        context.ledger().note(run, EventKind.RESUMED, remark.get());
    }

    private boolean hasEvent(EventKind kind) {
        return context.ledger().runs().events(run.id()).stream()
                .anyMatch(event ->
                        kind.is(event.kind()) && event.attempt() == run.latest().n());
    }

    boolean isSetUp() {
        return isSetUp;
    }

    /** Appends the output of the worktree setup to the output of the run, once. */
    void setUp() throws IOException {
        if (isSetUp) return;
        var output = directory.setup().output();
        if (output.isEmpty()) return;
        isSetUp = true;
        if (hasEvent(EventKind.SETUP)) return;
        var failed = directory.setup().failed();
        conversation.appendRemark("setup %s\n%s"
                .formatted(
                        failed.map(status -> "failed with exit status " + status)
                                .orElse("done"),
                        output.get()));
        conversation.save();
        context.ledger().note(run, EventKind.SETUP, failed.isPresent() ? "failed" : "done");
    }
}
