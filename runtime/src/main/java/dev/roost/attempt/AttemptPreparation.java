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

/** From a run to what its attempts are given. */
public final class AttemptPreparation {

    private AttemptPreparation() {}

    /** Writes down what an attempt is to do; what its directory held of an attempt that was never queued is replaced. */
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

    /** Makes this home's own files of what was ordered, perhaps on another node. */
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

    /** The same again for the attempt after one that never began. */
    static void repeatOrder(RuntimeContext context, RunRecord run) {
        int n = run.latest().n();
        context.cluster()
                .getOrder(run.id(), n)
                .ifPresent(order -> context.cluster().putOrder(run.id(), n + 1, order));
    }

    /** What the attempt in {@code directory} was given; where somebody has removed that, as far as the ledger knows. */
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

    /** Whether there can be another attempt: its agent can resume, and it is given what the first one was. */
    static boolean canContinue(RuntimeContext context, RunRecord run) {
        if (!Drivers.of(run.driver()).abilities().resume()) return false;
        if (context.cluster().isClustered())
            return context.cluster().getOrder(run.id(), 1).isPresent();
        return context.home().run(run.id()).attempt(1).isPrepared();
    }

    /** Prepares the attempt after the latest, with {@code prompt}: in its own conversation if there is one. */
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
                .orElseThrow(() -> new IOException("nothing says what %s was to do".formatted(run.id())));
        var words = session.isPresent() ? new Task(List.of(), Optional.of(prompt)) : first.task();
        context.cluster()
                .putOrder(
                        run.id(),
                        run.latest().n() + 1,
                        first.next(words, session, requiredNode(context, run, first, session)));
    }

    /** Whether all that its next attempt goes on with is where another node finds it, as of now. */
    static boolean canRelocate(RuntimeContext context, RunRecord run, Optional<String> session) {
        return context.cluster()
                .getOrder(run.id(), 1)
                .filter(first -> requiredNode(context, run, first, session).isEmpty())
                .isPresent();
    }

    /** The node that alone has what the next attempt goes on with: files of no worktree, a conversation that did not travel. */
    private static Optional<String> requiredNode(
            RuntimeContext context, RunRecord run, AttemptOrder first, Optional<String> session) {
        boolean files = !first.worktree() && first.source().isPresent();
        boolean words =
                session.isPresent() && !context.cluster().uploaded(run.id()).contains(SharedFileName.CONVERSATION);
        return files || words ? run.holder() : Optional.empty();
    }

    /** What the attempts before the latest used. */
    private static Usage usedBefore(RuntimeContext context, RunRecord run) {
        var sum = Usage.NONE;
        for (var attempt : context.ledger().runs().attempts(run.id())) {
            if (attempt.n() < run.latest().n()) sum = sum.plus(attempt.usage());
        }
        return sum;
    }
}
