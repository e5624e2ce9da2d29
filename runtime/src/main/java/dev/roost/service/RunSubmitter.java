package dev.roost.service;

import dev.roost.agents.AgentEnvironment;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Driver;
import dev.roost.agents.driver.Drivers;
import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.engine.AgentCatalog;
import dev.roost.engine.RuntimeContext;
import dev.roost.engine.StartRequest;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.RunId;
import dev.roost.model.Usage;
import dev.roost.node.AttemptOrder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Accepts a run: checks the request, resolves what it starts and where, writes its order and submits its row. */
record RunSubmitter(RuntimeContext context, AttemptSupervisor supervisor, ProjectLookup projectLookup) {

    private static final System.Logger LOG = System.getLogger(RunSubmitter.class.getName());

    /** Accepts a run. When this returns, the run is durable and its output file exists. */
    RunRecord start(StartRequest request) {
        var again = request.terms().callKey().flatMap(context.ledger().runs()::findByCallKey);
        if (again.isPresent()) return again.get();
        var run = resolve(request, validate(request));
        var accepted = accept(run.row.id(), () -> {
            context.orders().put(run.row.id(), 1, run.order, () -> run.job);
            return context.ledger().submit(run.row, run.caps);
        });
        supervisor.claimQueuedAsync();
        return accepted;
    }

    /** A request that may start: its agent, its place among the runs, and what its node needs. */
    private record ValidRequest(
            EngineConfig.NamedAgent agent,
            Driver driver,
            Budget caps,
            Optional<RunRecord> parent,
            int depth,
            Set<String> tags,
            Map<String, String> environment) {}

    private ValidRequest validate(StartRequest request) {
        var agents = AgentCatalog.in(request.cwd(), context.config(), projectLookup);
        var agent = agents.named(request.agent());
        var driver = Drivers.of(agent.profile().driver());
        request.name().ifPresent(TextFormat::name);
        if (request.resumeOnLoss().orElse(false) && !driver.abilities().resume()) {
            throw ErrorCode.CANNOT_RESUME.error(
                    "The agent \"%s\" cannot resume, so on_loss=resume is not possible.".formatted(request.agent()));
        }
        if (!context.placement().isReachable(request.cwd())) {
            throw ErrorCode.NO_SUCH_DIRECTORY.error("There is no directory \"%s\"."
                    .formatted(TextFormat.printable(request.cwd().toString())));
        }
        var tags = tags(agent, request.terms().requiredTags());
        var environment = AgentEnvironment.filtered(request.environment());
        context.placement().check(tags, () -> {
            if (request.terms().launcher().isEmpty())
                driver.check(agent.profile(), request.task(), request.cwd(), environment);
        });
        context.config().dailyBudget().refuseMore(request.owner(), context.ledger());
        var parent = findCallingRun(request.origin());
        int depth = parent.map(RunRecord::depth).orElse(0) + 1;
        if (depth > context.config().maxDepth()) {
            throw ErrorCode.TOO_DEEP.error(
                    "This is inside run %s, and a run may not start runs %s."
                            .formatted(
                                    parent.map(run -> run.id().text()).orElse("?"),
                                    depth == 2 ? "of its own" : "this deep"),
                    "Do the work here, or let the parent session start it; max_depth in config.toml is %d."
                            .formatted(context.config().maxDepth()));
        }
        return new ValidRequest(agent, driver, agents.project().caps(), parent, depth, tags, environment);
    }

    /** A run to be submitted: its row, the order and job of its first attempt, and the caps that it must keep. */
    private record ResolvedRun(NewRun row, AttemptOrder order, AttemptJob job, Caps caps) {}

    private ResolvedRun resolve(StartRequest request, ValidRequest valid) {
        var id = RunId.create(context.clock().now());
        var git = context.worktrees().git(request.environment());
        var place = context.placement().place(id, request.cwd(), request.terms().worktree(), git::isShared);
        var job = new AttemptJob(
                valid.agent.profile().withLauncher(request.terms().launcher()),
                valid.driver.abilities().plainProgram()
                        ? request.task()
                        : request.task().asPrompt(),
                place.cwd(),
                context.home().run(id).attempt(1).prompt(),
                request.budget()
                        .orElse(valid.agent.budget())
                        .orElse(Budget.ofOutput(context.config().maxOutput()))
                        .atMost(valid.caps),
                Optional.empty(),
                Usage.NONE,
                place.worktree().isPresent());
        var row = new NewRun(
                id,
                request.name(),
                request.owner(),
                request.agent(),
                valid.driver.name(),
                job.profile().json(),
                request.description().orElseGet(() -> describe(request)),
                place.cwd(),
                job.budget(),
                request.resumeOnLoss().orElse(valid.driver.abilities().resume()),
                valid.depth,
                valid.parent.map(RunRecord::id),
                request.terms().notifyMode(),
                request.terms().callKey(),
                place.worktree());
        var order = new AttemptOrder(
                request.agent(),
                job.task(),
                request.cwd(),
                valid.environment,
                request.umask(),
                Optional.empty(),
                request.terms().worktree(),
                context.membership().self(),
                valid.tags,
                place.source(),
                Optional.empty());
        var caps = context.placement().caps(context.config().caps());
        return new ResolvedRun(
                row,
                order,
                job,
                request.terms().maxLive().map(caps::refusingMoreThan).orElse(caps));
    }

    /** The tags of the agent and of the request. */
    private static Set<String> tags(EngineConfig.NamedAgent agent, List<String> requested) {
        var tags = new TreeSet<>(agent.requiredTags());
        for (var tag : requested) {
            if (!AttemptOrder.isTag(tag)) {
                throw ErrorCode.BAD_TAG.error("\"%s\" cannot be a tag.".formatted(TextFormat.printable(tag)));
            }
            tags.add(tag);
        }
        return tags;
    }

    private static String describe(StartRequest request) {
        return TextFormat.printable(request.task()
                .prompt()
                .orElseGet(() -> String.join(" ", request.task().argv())));
    }

    /** Writes a run's files and then its row, and returns the run of the row. */
    interface LedgerSubmission {
        RunRecord write() throws IOException;
    }

    /** Files first, then the row: a crash in between leaves a directory without a row, which the next start removes. */
    RunRecord accept(RunId id, LedgerSubmission submission) {
        var directory = context.home().run(id);
        try {
            context.home().submissions().begin(id);
            directory.create();
            var accepted = submission.write();
            if (!accepted.id().equals(id)) directory.delete(); // a concurrent repeated call was accepted first
            clearMarker(id);
            return accepted;
        } catch (IOException | RuntimeException e) {
            if (discard(directory, e)) clearMarker(id);
            if (e instanceof RuntimeException known) throw known;
            throw ErrorCode.HOME_UNWRITABLE.error(
                    "The run could not be written to %s: %s.".formatted(directory.path(), e.getMessage()),
                    "Check the disk; nothing was started.");
        } finally {
            context.orders().discard(id, 1);
        }
    }

    private void clearMarker(RunId run) {
        try {
            context.home().submissions().clear(run);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the submission marker remains; the next start checks " + run, e);
        }
    }

    private static boolean discard(RunDirectory directory, Exception because) {
        try {
            directory.delete();
            return true;
        } catch (IOException e) {
            because.addSuppressed(e);
            return false;
        }
    }

    /** The run that the request comes from: by its {@code ROOST_RUN_ID}, or by the process tree of the calling process. */
    Optional<RunRecord> findCallingRun(StartRequest.Origin origin) {
        var byVariable =
                origin.runId().flatMap(RunId::parse).flatMap(context.ledger().runs()::find);
        return byVariable.isPresent() ? byVariable : origin.pid().flatMap(supervisor::findByProcess);
    }
}
