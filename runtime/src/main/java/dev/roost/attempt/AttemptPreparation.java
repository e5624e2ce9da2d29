package dev.roost.attempt;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Usage;
import dev.roost.node.AttemptFiles;
import dev.roost.node.AttemptOrder;
import dev.roost.node.SharedFileName;
import dev.roost.worktrees.TransferUploader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Orders the next attempt of a run, and prepares the files of an attempt from its order. */
public final class AttemptPreparation {

    private AttemptPreparation() {}

    /** Writes the attempt's files in this home from an order, which another node may have written. */
    static void prepareFromOrder(
            RuntimeContext context, RunRecord run, AttemptOrder order, Map<String, String> environment)
            throws IOException {
        var job = job(context, run, run.latest().n(), order, usedBefore(context, run));
        var directory = context.home().run(run.id()).attempt(run.latest().n());
        AttemptFiles.write(directory, job, environment, order.umask(), context.faults());
    }

    private static AttemptJob job(RuntimeContext context, RunRecord run, int n, AttemptOrder order, Usage before) {
        return new AttemptJob(
                AgentProfile.read(run.profile()),
                order.task(),
                run.cwd(),
                context.home().run(run.id()).attempt(n).prompt(),
                run.budget(),
                order.session(),
                before,
                run.work().isPresent());
    }

    private static void order(RuntimeContext context, RunRecord run, AttemptOrder order, Usage soFar)
            throws IOException {
        int next = run.latest().n() + 1;
        context.orders()
                .put(
                        run.id(),
                        next,
                        order,
                        () -> job(
                                context,
                                run,
                                next,
                                order,
                                usedBefore(context, run).plus(soFar)));
    }

    /** Copies the order of an attempt that never began to the next attempt. */
    static void repeatOrder(RuntimeContext context, RunRecord run) throws IOException {
        var order = context.orders().get(run.id(), run.latest().n());
        if (order.isPresent()) order(context, run, order.get(), Usage.NONE);
    }

    /** The job of the attempt in {@code directory}. If its files were removed, the job is rebuilt from the ledger. */
    static AttemptJob of(RuntimeContext context, RunRecord run, AttemptDirectory directory) throws IOException {
        return new AttemptJob(
                AgentProfile.read(run.profile()),
                new Task(List.of(), directory.promptText().or(() -> Optional.of(run.description()))),
                run.cwd(),
                directory.prompt(),
                run.budget(),
                directory.isPrepared() ? directory.spec().session() : run.sessionId(),
                usedBefore(context, run),
                run.work().isPresent());
    }

    /** Whether there can be another attempt: the agent can resume, and the first attempt's order still exists. */
    static boolean canContinue(RuntimeContext context, RunRecord run) {
        return Drivers.of(run.driver()).abilities().resume() && context.orders().has(run.id(), 1);
    }

    /** Orders the attempt after the latest with {@code prompt}. Continues the agent's conversation if there is one. */
    public static void prepareNext(RuntimeContext context, RunRecord run, AttemptProgress soFar, String prompt)
            throws IOException {
        var session = soFar.sessionId().or(run::sessionId);
        var first = context.orders()
                .get(run.id(), 1)
                .orElseThrow(() -> new IOException("the first order of %s is missing".formatted(run.id())));
        var text = session.isPresent() ? prompt : first.task().prompt().orElse(prompt);
        var now = context.ledger().runs().find(run.id()).orElse(run); // with the checkpoints since its attempt began
        var node = whyBoundToNode(context, now, first, session).flatMap(_ -> run.holder());
        order(context, run, first.next(new Task(List.of(), Optional.of(text)), session, node), soFar.usage());
    }

    /** Why only the node that has the run's files can start its next attempt; empty if other nodes can get them too. */
    static Optional<String> whyBoundToNode(
            RuntimeContext context, RunRecord run, AttemptOrder first, Optional<String> session) {
        var uploaded = context.output().uploaded(run.id());
        if (session.isPresent() && !uploaded.contains(SharedFileName.CONVERSATION))
            return Optional.of(
                    TransferUploader.canMoveConversation(run)
                            ? "its conversation was not uploaded yet"
                            : "conversations of %s cannot be moved".formatted(run.agent()));
        if (run.work().flatMap(WorktreeRecord::rescue).isPresent() && !uploaded.contains(SharedFileName.WORK))
            return Optional.of("its work was not uploaded yet");
        if (!first.worktree() && first.source().isPresent())
            return Optional.of("it had no worktree, so its work is in a checkout there");
        return Optional.empty();
    }

    /** The usage of all attempts before the latest. */
    private static Usage usedBefore(RuntimeContext context, RunRecord run) {
        var sum = Usage.NONE;
        for (var attempt : context.ledger().runs().attempts(run.id())) {
            if (attempt.n() < run.latest().n()) sum = sum.plus(attempt.usage());
        }
        return sum;
    }
}
