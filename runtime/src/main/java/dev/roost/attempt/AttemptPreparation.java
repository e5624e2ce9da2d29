package dev.roost.attempt;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.FaultPoints;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.AttemptSpec;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Usage;
import dev.roost.node.AttemptOrder;
import dev.roost.sharedfiles.SharedFileName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Prepares the directory of an attempt, or its start order in a cluster, from the data of its run. */
public final class AttemptPreparation {

    private AttemptPreparation() {}

    /** Writes the files of an attempt. Replaces files that a submission that was never queued left in the directory. */
    public static void prepare(
            RuntimeContext context,
            AttemptDirectory directory,
            AttemptJob job,
            Map<String, String> environment,
            String umask)
            throws IOException {
        var launch = Drivers.of(job.profile().driver()).launch(job);
        var variables = new TreeMap<>(environment);
        variables.putAll(launch.environment());
        variables.putAll(job.profile().environment());
        var input = switch (launch.input()) {
            case LaunchCommand.AgentStdin.Empty _ -> AttemptSpec.Input.NOTHING;
            case LaunchCommand.AgentStdin.Text _ -> AttemptSpec.Input.FILE;
            case LaunchCommand.AgentStdin.Pipe _ -> AttemptSpec.Input.PIPE;
        };
        var text = switch (launch.input()) {
            case LaunchCommand.AgentStdin.Empty _ -> "";
            case LaunchCommand.AgentStdin.Text(var all) -> all;
            case LaunchCommand.AgentStdin.Pipe(var first) -> first;
        };
        var argv = new ArrayList<String>(job.profile().launcher());
        if (job.inWorktree()) argv.addAll(directory.setup().words());
        argv.addAll(launch.argv());
        var spec = new AttemptSpec(argv, job.cwd(), umask, input, job.session());
        context.faults().before(FaultPoints.Step.SPEC);
        directory.create(spec, variables, job.task().prompt(), text);
        context.faults().after(FaultPoints.Step.SPEC);
    }

    /** Writes the attempt's files in this home from a start order, which another node may have written. */
    static void prepareFromOrder(
            RuntimeContext context, RunRecord run, AttemptOrder order, Map<String, String> environment)
            throws IOException {
        var attempt = context.home().run(run.id()).attempt(run.latest().n());
        var job = new AttemptJob(
                AgentProfile.read(run.profile()),
                order.task(),
                run.cwd(),
                attempt.prompt(),
                run.budget(),
                order.session(),
                usedBefore(context, run),
                run.work().isPresent());
        prepare(context, attempt, job, environment, order.umask());
    }

    /** Copies the order of an attempt that never began to the next attempt. */
    static void repeatOrder(RuntimeContext context, RunRecord run) {
        int n = run.latest().n();
        context.cluster()
                .getOrder(run.id(), n)
                .ifPresent(order -> context.cluster().putOrder(run.id(), n + 1, order));
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

    /** Whether there can be another attempt: the agent can resume, and the first attempt's order or files still exist. */
    static boolean canContinue(RuntimeContext context, RunRecord run) {
        if (!Drivers.of(run.driver()).abilities().resume()) return false;
        if (context.cluster().isClustered())
            return context.cluster().getOrder(run.id(), 1).isPresent();
        return context.home().run(run.id()).attempt(1).isPrepared();
    }

    /** Prepares the attempt after the latest with {@code prompt}. Continues the agent's conversation if there is one. */
    public static void prepareNext(RuntimeContext context, RunRecord run, AttemptProgress soFar, String prompt)
            throws IOException {
        var session = soFar.sessionId().or(run::sessionId);
        if (context.cluster().isClustered()) {
            putNextOrder(context, run, session, prompt);
            return;
        }
        var first = context.home().run(run.id()).attempt(1);
        var next = context.home().run(run.id()).attempt(run.latest().n() + 1);
        var text = session.isPresent() ? prompt : first.promptText().orElse(prompt);
        var job = new AttemptJob(
                AgentProfile.read(run.profile()),
                new Task(List.of(), Optional.of(text)),
                run.cwd(),
                next.prompt(),
                run.budget(),
                session,
                usedBefore(context, run).plus(soFar.usage()),
                run.work().isPresent());
        prepare(context, next, job, first.environment(), first.spec().umask());
    }

    private static void putNextOrder(RuntimeContext context, RunRecord run, Optional<String> session, String prompt)
            throws IOException {
        var first = context.cluster()
                .getOrder(run.id(), 1)
                .orElseThrow(() -> new IOException("the first start order of %s is missing".formatted(run.id())));
        var task = session.isPresent() ? new Task(List.of(), Optional.of(prompt)) : first.task();
        context.cluster()
                .putOrder(
                        run.id(),
                        run.latest().n() + 1,
                        first.next(task, session, requiredNode(context, run, first, session)));
    }

    /** Whether another node can download everything that the next attempt needs. */
    static boolean canRelocate(RuntimeContext context, RunRecord run, Optional<String> session) {
        return context.cluster()
                .getOrder(run.id(), 1)
                .filter(first -> requiredNode(context, run, first, session).isEmpty())
                .isPresent();
    }

    /** The only node that has what the next attempt needs: files outside a worktree, or a conversation not uploaded yet. */
    private static Optional<String> requiredNode(
            RuntimeContext context, RunRecord run, AttemptOrder first, Optional<String> session) {
        boolean files = !first.worktree() && first.source().isPresent();
        boolean conversation =
                session.isPresent() && !context.cluster().uploaded(run.id()).contains(SharedFileName.CONVERSATION);
        return files || conversation ? run.holder() : Optional.empty();
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
