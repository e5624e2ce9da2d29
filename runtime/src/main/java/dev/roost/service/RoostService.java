package dev.roost.service;

import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.RoostError;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.engine.AgentCatalog;
import dev.roost.engine.RuntimeContext;
import dev.roost.engine.StartRequest;
import dev.roost.feed.ChangeFeed;
import dev.roost.home.Home;
import dev.roost.ledger.DeliveryStore;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.TokenStore;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.NoticeHistory;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import dev.roost.node.Cluster;
import dev.roost.node.NodeDirectory;
import dev.roost.node.SingleNode;
import dev.roost.os.ExitWatcher;
import dev.roost.os.FileWatcher;
import dev.roost.os.MachineLimits;
import dev.roost.output.OutputPage;
import dev.roost.output.OutputReader;
import dev.roost.pauses.PauseTracker;
import dev.roost.pauses.PrePauseCheckpoints;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import dev.roost.sessions.OwnerSessions;
import dev.roost.sessions.WakeScheduler;
import dev.roost.worktrees.TransferUploader;
import dev.roost.worktrees.WorktreeService;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facade that every surface calls. All its answers come from the ledger. */
public final class RoostService implements AutoCloseable {

    private final RuntimeContext context;
    private final AttemptSupervisor supervisor;
    private final OutputReader outputs;
    private final MessageSender messageSender;
    private final ProjectLookup projectLookup;
    private final WakeScheduler wakeScheduler;
    private final OwnerSessions sessions;
    private final RunSubmitter submitter;
    private final PauseTracker pauseTracker;

    private RoostService(RuntimeContext context, ProjectLookup projectLookup) {
        this.context = context;
        this.projectLookup = projectLookup;
        this.pauseTracker =
                new PauseTracker(context, new PrePauseCheckpoints(context.worktrees(), context.clock())::keepAll);
        this.supervisor = new AttemptSupervisor(context);
        this.outputs = new OutputReader(context, supervisor);
        this.messageSender = new MessageSender(context, supervisor, outputs);
        this.wakeScheduler = WakeScheduler.open(context);
        this.sessions = new OwnerSessions(context, wakeScheduler);
        this.submitter = new RunSubmitter(context, supervisor, projectLookup);
    }

    private void startParts() throws IOException {
        supervisor.onBeforeStart(pauseTracker::check);
        supervisor.recover();
        context.worktrees().start();
        context.membership().join(supervisor);
        supervisor.onAttemptEnded(messageSender::continueWithLateMessages);
        context.ledger().listeners().onNotice(wakeScheduler::noticeAdded);
        for (var notice : context.ledger().notices().pending(Optional.empty()))
            wakeScheduler.noticeAdded(notice.owner()); // for runs that ended while no daemon ran
    }

    /** Opens a home and recovers the state of the last daemon: afterwards every row matches the real processes. */
    public static RoostService open(Home home, EngineConfig config, ProjectLookup projectLookup, Clock clock) {
        return open(home, config, projectLookup, clock, LedgerMetrics.NONE);
    }

    /** Like the other, and reports all changes, including the recovery, to {@code metrics}. */
    public static RoostService open(
            Home home, EngineConfig config, ProjectLookup projectLookup, Clock clock, LedgerMetrics metrics) {
        var ledger = SqliteLedger.open(home.ledger(), clock);
        var alone = SingleNode.open(home, ledger, config.faults());
        return open(home, config, projectLookup, clock, metrics, ledger, alone);
    }

    /** Like the other, with a ledger that the nodes of {@code cluster} may share. */
    public static RoostService open(
            Home home,
            EngineConfig config,
            ProjectLookup projectLookup,
            Clock clock,
            LedgerMetrics metrics,
            Ledger ledger,
            Cluster cluster) {
        return open(home, config, projectLookup, clock, Cgroups.open(), ExitWatcher.open(), metrics, ledger, cluster);
    }

    static RoostService open(Home home, EngineConfig config, Clock clock, Cgroups cgroups, ExitWatcher exits) {
        var ledger = SqliteLedger.open(home.ledger(), clock);
        var alone = SingleNode.open(home, ledger, config.faults());
        return open(home, config, ProjectLookup.NONE, clock, cgroups, exits, LedgerMetrics.NONE, ledger, alone);
    }

    private static RoostService open(
            Home home,
            EngineConfig config,
            ProjectLookup projectLookup,
            Clock clock,
            Cgroups cgroups,
            ExitWatcher exits,
            LedgerMetrics metrics,
            Ledger ledger,
            Cluster cluster) {
        var undo = new ArrayDeque<Runnable>(List.of(cluster.membership()::close, exits::close, ledger::close));
        try {
            ledger.listeners().setMetrics(metrics);
            ledger.setFaultPoints(config.faults());
            var worktrees = new WorktreeService(home, config, clock, ledger, projectLookup, cluster.membership());
            var checkpointEvery = config.worktreePolicy().checkpointEvery();
            var uploader = cluster.output()
                    .uploadInterval()
                    .map(every ->
                            new TransferUploader(home, clock, ledger, cluster, worktrees, every, checkpointEvery));
            var launcher = new PerchLauncher(home, cgroups);
            var files = FileWatcher.open();
            undo.addFirst(files::close);
            var context = new RuntimeContext(
                    home,
                    config,
                    clock,
                    ledger,
                    launcher,
                    exits,
                    files,
                    new ChangeFeed(ledger, clock),
                    worktrees,
                    uploader,
                    cluster.membership(),
                    cluster.placement(),
                    cluster.orders(),
                    cluster.output());
            if (MachineLimits.roomForStarts(1) == 0) throw tooFewFiles();
            ledger.deliveries().setChannels(config.channels());
            var service = new RoostService(context, projectLookup);
            undo.clear();
            undo.add(service::close);
            service.startParts();
            return service;
        } catch (IOException | RuntimeException e) {
            undo.forEach(Runnable::run);
            if (e instanceof RuntimeException known) throw known;
            throw ErrorCode.HOME_UNUSABLE.error(
                    "The home %s cannot be used: %s.".formatted(home.root(), e), "Check the disk.");
        }
    }

    /** Refuses to start: without free file descriptors for one run, accepted runs would wait forever without a visible cause. */
    private static RoostError tooFewFiles() {
        return ErrorCode.TOO_FEW_OPEN_FILES.error("This process may open %d files only, too few to start a run."
                .formatted(MachineLimits.openFilesLimit()));
    }

    public int liveCount() {
        return supervisor.count();
    }

    /** The nodes that share the ledger. */
    public NodeDirectory nodes() {
        return context.membership().directory();
    }

    /** Claims queued runs first, then returns this run. If it is still queued, no slot was free. */
    public RunRecord awaitPlacement(RunRecord run) {
        supervisor.claimQueued();
        return context.ledger()
                .runs()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    /** Live runs and runs that have ended since then, newest first: the caller's own, or all runs for the operator. */
    public List<RunRecord> since(Instant since, Caller caller) {
        return context.ledger().runs().since(since, caller.scope());
    }

    /** The reasons, as far as known, why these runs do not start or do not answer. */
    public Map<RunId, String> waitReasons(List<RunRecord> runs) {
        try {
            return context.placement().waitReasons(runs);
        } catch (Broken e) { // the reasons are optional, so a ledger error must not fail the request
            if (!e.retryable()) throw e;
            return Map.of();
        }
    }

    /** Accepts a run. When this returns, the run is durable and its output file exists. */
    public RunRecord start(StartRequest request) {
        return submitter.start(request);
    }

    /** The run that the request comes from: by its {@code ROOST_RUN_ID}, or by the process tree of the calling process. */
    public Optional<RunRecord> findCallingRun(StartRequest.Origin origin) {
        return submitter.findCallingRun(origin);
    }

    /** Finds a run by id, unambiguous id prefix or name: among the caller's own runs, or among all runs for the operator. */
    public RunRecord find(String text, Caller caller) {
        return new RunFinder(context.ledger().runs()).find(text, caller);
    }

    /** Tells of changes of runs as they happen. */
    public ChangeFeed changes() {
        return context.changes();
    }

    /** Pruning, backup and checks. */
    public Maintenance maintenance() {
        return new Maintenance(context, supervisor, messageSender);
    }

    /** The parent sessions and their notices. */
    public OwnerSessions sessions() {
        return sessions;
    }

    /** The worktrees and landings of runs. */
    public RunWorktrees runWorktrees() {
        return new RunWorktrees(context);
    }

    /** Reports of past activity. */
    public ActivityReports activityReports() {
        return new ActivityReports(context);
    }

    /** Finds and imports agents that other tools have lost. */
    public RescueImporter rescueImporter() {
        return new RescueImporter(context, submitter);
    }

    /** The access tokens. Only a person may make and revoke them; the surfaces enforce that. */
    public TokenStore tokens() {
        return context.ledger().tokens();
    }

    /** The agents known in {@code directory}. */
    public AgentCatalog agents(Path directory) {
        return AgentCatalog.in(directory, context.config(), projectLookup);
    }

    /** The caps on live runs. */
    public Caps caps() {
        return context.config().caps();
    }

    /** The end of the run's output, at most {@code most} bytes. */
    public String outputTail(RunRecord run, int most) {
        return outputs.tail(run, most);
    }

    /** Lists runs: the caller's own, or all runs for the operator. */
    public List<RunRecord> list(RunQuery query, Caller caller) {
        if (!caller.mayActFor(query.owner())) return List.of();
        return context.ledger().runs().list(query.of(caller.scope(query.owner())));
    }

    /** The run with this id, without a check of the owner: only for callers that act for the operator. */
    public Optional<RunRecord> run(RunId id) {
        return context.ledger().runs().find(id);
    }

    /** The result of an attempt, if it is in the ledger. */
    public Optional<String> result(RunRecord run, int attempt) {
        return context.ledger().runs().result(run.id(), attempt);
    }

    /** The transcript of the agent, one JSON object a line; a command has none. */
    public Path transcript(RunRecord run) {
        return context.home().run(run.id()).transcript();
    }

    /** A variable of the environment of the run's request. */
    public Optional<String> variable(RunRecord run, String name) {
        try {
            return context.orders()
                    .get(run.id(), 1)
                    .map(order -> order.environment().get(name));
        } catch (IOException e) {
            return Optional.empty(); // the file was removed or is unreadable
        }
    }

    public List<AttemptRecord> attempts(RunRecord run) {
        return context.ledger().runs().attempts(run.id());
    }

    public List<TimelineEvent> events(RunRecord run) {
        return context.ledger().runs().events(run.id());
    }

    public List<NoticeHistory> notices(RunRecord run) {
        return context.ledger().notices().of(run.id());
    }

    public Path outputFile(RunRecord run) {
        return context.home().run(run.id()).output();
    }

    /** Reads the output, and waits as requested. Reading does not mark the run as read; {@link #markRead} does. */
    public OutputPage output(RunRecord run, OutputPage.Request request) {
        return outputs.read(run.id(), request);
    }

    /** The length of the output in bytes. */
    public long outputLength(RunRecord run) {
        return outputs.length(run);
    }

    /** Marks the output's attempt as read if it has ended; call after the output was delivered to the reader. */
    public void markRead(OutputPage output, Caller caller) {
        if (output.attempt().status().ended())
            markRead(output.run(), output.attempt().n(), caller);
    }

    /** Marks the attempt as read; call after its end was delivered to the reader. Only the owner's reading counts. */
    public void markRead(RunRecord run, int attempt, Caller caller) {
        if (run.owner().equals(caller.owner())) context.ledger().notices().markRead(run.id(), attempt);
    }

    /** Stops the run and notes the reason. If the run has ended already, the reason is noted as a late stop. */
    public RunRecord stop(RunRecord run, Caller caller, Optional<String> reason) {
        boolean live = run(run.id()).filter(now -> !now.status().ended()).isPresent();
        reason.ifPresent(
                why -> note(run, live ? EventKind.STOP_REASON : EventKind.LATE_STOP, TextFormat.printable(why)));
        return stop(run, caller);
    }

    /** Stops the run and returns when its process tree is gone, or at once if its node does not answer: then it stops later. */
    public RunRecord stop(RunRecord run, Caller caller) {
        var stop = new StopReason.UserStop(caller.asActor());
        var stopped = context.ledger()
                .requestStop(run.id(), stop)
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
        if (stopped.status().ended()) {
            if (stopped.latest().startedAt().isEmpty()) {
                supervisor.finalizeOutput(stopped.id());
                outputs.awaitFinalized(stopped.id()); // the loop of the attempt before may still do it
            }
            return stopped;
        }
        supervisor.stop(stopped, stopped.latest().stopping().orElse(stop));
        return outputs.awaitEnd(stopped.id());
    }

    /** Steers a live run, answers its question, or continues an ended run. */
    public RunRecord send(RunRecord run, String text, Caller caller) {
        return send(run, text, caller, Optional.empty());
    }

    /** Like the other; a repeated call with the same {@code callKey} sends nothing again. */
    public RunRecord send(RunRecord run, String text, Caller caller, Optional<String> callKey) {
        return messageSender.send(run, text, new MessageSender.MessageOrigin(caller, callKey));
    }

    /** Answers this question of the run; refused if the run does not ask this question any more. */
    public RunRecord answer(RunRecord run, String question, String text, Caller caller) {
        var open = run.latest().asked().map(asked -> asked.question().id());
        if (!open.equals(Optional.of(question))) {
            throw ErrorCode.QUESTION_CLOSED.error("That question is not open any more.");
        }
        return send(run, text, caller);
    }

    /** Whether the run accepts a message now. */
    public boolean acceptsMessages(RunRecord run) {
        return messageSender.acceptsMessages(run);
    }

    /** The sum of the usage of all attempts. */
    public Usage usage(RunRecord run) {
        return context.ledger().runs().attempts(run.id()).stream()
                .map(AttemptRecord::usage)
                .reduce(Usage.NONE, Usage::plus);
    }

    /** Adds a line to the run's timeline. */
    public void note(RunRecord run, EventKind kind, String text) {
        context.ledger().note(run, kind, text);
    }

    public List<NoticeRecord> inbox(Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return context.ledger().notices().pending(caller.scope(owner));
    }

    public List<Long> acknowledge(List<Long> notices, Caller caller) {
        return context.ledger().notices().acknowledge(notices, caller.scope());
    }

    /** The deliveries by the channels of {@link EngineConfig}. */
    public DeliveryStore deliveries() {
        return context.ledger().deliveries();
    }

    /** Adds a listener that is called after each commit that wrote a notice; it must return quickly. */
    public void onNotice(Runnable listener) {
        context.ledger().listeners().onNotice(_ -> listener.run());
    }

    /** The owner of this name on this machine. */
    public Owner owner(String name) {
        return new Owner(name).at(context.membership().self());
    }

    /** The owner for a project directory on this machine, for a session without an id. */
    public Owner ownerIn(String harness, Path directory) {
        return new Owner(harness + ":" + directory).on(context.membership().self());
    }

    /** Prepares for a pause: makes checkpoints and runs the operator's hook. */
    public PauseWindow pause() {
        return pauseTracker.announce(context.config().pausePolicy().deadline());
    }

    /** Prepares for a pause within {@code most}, for callers that cannot delay the pause up to the operator's deadline. */
    public PauseWindow pause(Duration most) {
        var deadline = context.config().pausePolicy().deadline();
        return pauseTracker.announce(most.compareTo(deadline) < 0 ? most : deadline);
    }

    /** Ends a pause that was announced or that the clocks show. */
    public Optional<PauseWindow> resume() {
        return pauseTracker.resume();
    }

    /** Checks every live attempt now. The periodic sweep checks only attempts that may have changed. */
    public void sweep() {
        supervisor.sweep();
    }

    /** Closes all parts and leaves the agents running. */
    @Override
    public void close() {
        wakeScheduler.close();
        context.changes().close();
        context.worktrees().stopTimer();
        context.membership().stopAccepting();
        supervisor.close();
        pauseTracker.recordShutdown();
        context.uploader().ifPresent(TransferUploader::close);
        context.worktrees().close();
        context.membership().close(); // after the last part that writes to the cluster
        context.fileWatcher().close();
        context.exitWatcher().close();
        context.ledger().close();
    }
}
