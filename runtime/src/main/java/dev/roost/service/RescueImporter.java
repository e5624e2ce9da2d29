package dev.roost.service;

import dev.roost.agents.AgentEnvironment;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.Task;
import dev.roost.base.Refusal;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AppendFile;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Notify;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Usage;
import dev.roost.node.AttemptOrder;
import dev.roost.rescue.LostAgent;
import dev.roost.rescue.RescueScan;
import dev.roost.rescue.ToolDirectories;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Imports an agent that another tool lost as an ended, read run with the output that is left. */
public final class RescueImporter {

    private static final System.Logger LOG = System.getLogger(RescueImporter.class.getName());

    private static final String FOUND = "found by roost rescue: ";
    private static final Path ROOT = Path.of("/");

    private final RuntimeContext context;
    private final RunSubmitter submitter;

    RescueImporter(RuntimeContext context, RunSubmitter submitter) {
        this.context = context;
        this.submitter = submitter;
    }

    /** The run that this agent was imported as. */
    public Optional<RunRecord> known(LostAgent agent) {
        return context.ledger().runs().findByCallKey(callKey(agent));
    }

    /** Searches for agents that other tools lost since then. */
    public RescueScan.ScanResult search(ToolDirectories toolDirectories, List<Path> repositories, Duration since) {
        var now = context.clock().now();
        var found = new RescueScan(toolDirectories, repositories, now.minus(since)).scan(now);
        return found.without(this::isOurs);
    }

    /** Makes a checkpoint of another tool's worktree, under the id of {@code run} or an id of its own; returns the ref. */
    public String checkpointStray(Path worktree, Optional<RunId> run) {
        return context.worktrees().checkpointStray(worktree, run.orElseGet(() -> RunId.ofPlace(worktree.toString())));
    }

    static String callKey(LostAgent agent) {
        return "rescue:%s:%s:%s".formatted(word(agent.tool()), agent.id(), agent.key());
    }

    /** Whether the conversation belongs to a run that Roost itself started; the ledger knows its state better. */
    boolean isOurs(LostAgent agent) {
        return agent.session().stream()
                .flatMap(session -> context.ledger().runs().named(session, Optional.empty()).stream()
                        .filter(run -> run.sessionId().equals(Optional.of(session))))
                .anyMatch(run -> run.latest().n() > 1 || !isImported(run));
    }

    private static boolean isImported(RunRecord run) {
        return run.latest()
                .evidence()
                .flatMap(Evidence::note)
                .filter(note -> note.startsWith(FOUND))
                .isPresent();
    }

    static String word(LostAgent.Tool tool) {
        return tool.name().toLowerCase(Locale.ROOT);
    }

    /** Imports the agent as a run, once. Only for the operator, as the run gets another owner. */
    public RunRecord importRun(LostAgent agent, Map<String, String> environment) {
        var known = known(agent);
        if (known.isPresent()) return known.get();
        if (agent.state() == LostAgent.State.AT_WORK) throw new IllegalArgumentException(agent.id() + " is not lost");
        var id = RunId.create(context.clock().now());
        var directory = context.home().run(id);
        var run = submitter.accept(id, () -> {
            prepare(id, agent, directory, environment);
            writeOutput(agent, directory);
            return context.ledger()
                    .importRun(toNewRun(agent, id), toImportedAttempt(agent, Files.size(directory.output())));
        });
        submitter.supervisor().finalizeOutput(run.id());
        return context.ledger().runs().find(run.id()).orElseThrow();
    }

    /** A shell command gets the command driver: it has no conversation to continue. */
    private static AgentProfile profile(LostAgent agent) {
        return AgentProfile.plain(agent.kind() == LostAgent.Kind.SHELL ? "command" : word(agent.tool()));
    }

    private static Path cwd(LostAgent agent) {
        return agent.cwd().orElse(ROOT);
    }

    /** Orders its first attempt, bound to this node with its files: a message to the run prepares the next attempt from it. */
    private void prepare(RunId id, LostAgent agent, RunDirectory directory, Map<String, String> environment)
            throws IOException {
        if (agent.session().isEmpty()) return;
        var job = new AttemptJob(
                profile(agent),
                new Task(List.of(), Optional.of(agent.title().isBlank() ? agent.id() : agent.title())),
                cwd(agent),
                directory.attempt(1).prompt(),
                budget(),
                Optional.empty(),
                Usage.NONE,
                false);
        var self = context.membership().self();
        var order = new AttemptOrder(
                job.profile().name(),
                job.task(),
                job.cwd(),
                AgentEnvironment.filtered(environment),
                "022",
                Optional.empty(),
                false,
                self,
                Set.of(),
                Optional.empty(),
                Optional.of(self));
        try {
            context.orders().put(id, 1, order, () -> job);
        } catch (Refusal e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} cannot be continued here: {1}", id, e.sentence());
        }
    }

    private Budget budget() {
        return Budget.ofOutput(context.config().maxOutput());
    }

    private static void writeOutput(LostAgent agent, RunDirectory directory) throws IOException {
        if (bytes(agent) > AttemptResult.LEDGER_LIMIT) {
            Files.createDirectories(directory.attempt(1).path());
            directory.attempt(1).writeResult(agent.text());
        }
        try (var file = new AppendFile(directory.output(), 0)) {
            if (!agent.text().isBlank()) file.add(agent.text().strip() + "\n");
            if (agent.doing().isPresent()) file.add("\n→ " + agent.doing().get() + "\n");
            file.add("\n---\n" + note(agent) + "\n");
            file.flush();
        }
    }

    private NewRun toNewRun(LostAgent agent, RunId id) {
        var profile = profile(agent);
        return new NewRun(
                id,
                Optional.empty(),
                new Owner(word(agent.tool()) + ":" + agent.owner()),
                profile.name(),
                profile.driver(),
                profile.json(),
                agent.title(),
                cwd(agent),
                budget(),
                false,
                1,
                Optional.empty(),
                Notify.SILENT,
                Optional.of(callKey(agent)),
                Optional.empty());
    }

    private static String note(LostAgent agent) {
        return FOUND + "%s (%s)".formatted(agent.why(), agent.source());
    }

    private static ImportedAttempt toImportedAttempt(LostAgent agent, long outputBytes) {
        var none = Evidence.none();
        var evidence = new Evidence(
                none.exit(),
                none.agent(),
                none.bootId(),
                Optional.of(agent.lastSign()),
                none.active(),
                none.slept(),
                none.stderrTail(),
                none.leftovers(),
                Optional.of(note(agent)));
        return new ImportedAttempt(
                agent.began(), agent.lastSign(), outcome(agent), evidence, result(agent), outputBytes, agent.session());
    }

    private static boolean finished(LostAgent agent) {
        return agent.state() == LostAgent.State.FINISHED;
    }

    private static Outcome outcome(LostAgent agent) {
        if (!finished(agent)) return new Outcome.Abandoned(Cause.PERCH_LOST);
        return agent.text().isBlank() ? new Outcome.CompletedEmpty() : new Outcome.Completed();
    }

    /** The result is the last text of the agent, even if it was interrupted; the status shows that. */
    private static AttemptResult result(LostAgent agent) {
        if (agent.text().isBlank()) return AttemptResult.none();
        return bytes(agent) > AttemptResult.LEDGER_LIMIT
                ? new AttemptResult(Optional.empty(), bytes(agent))
                : new AttemptResult(Optional.of(agent.text()), bytes(agent));
    }

    private static long bytes(LostAgent agent) {
        return agent.text().getBytes(StandardCharsets.UTF_8).length;
    }
}
