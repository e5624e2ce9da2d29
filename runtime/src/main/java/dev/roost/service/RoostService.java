package dev.roost.service;

import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.Broken;
import dev.roost.base.Clock;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.base.TextFormat;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.engine.AgentCatalog;
import dev.roost.engine.RuntimeContext;
import dev.roost.engine.StartRequest;
import dev.roost.feed.RunChangeListeners;
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
import dev.roost.node.TokenKey;
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

/** The facade that every surface calls. One truth: what it answers, it reads from the ledger. */
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
    private final ChangeFeeds changeFeeds;

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
        this.changeFeeds = new ChangeFeeds(context);
    }

    private void begin() throws IOException {
        supervisor.onBeforeStart(pauseTracker::check);
        supervisor.recover();
        context.worktrees().start();
        context.cluster().join(supervisor);
        supervisor.onAttemptEnded(messageSender::continueWithLateMessages);
        context.ledger().listeners().onNotice(wakeScheduler::noticeAdded);
        for (var notice : context.ledger().notices().pending(Optional.empty()))
            wakeScheduler.noticeAdded(notice.owner()); // of what ended meanwhile
    }

    /** Opens a home and settles what the last daemon left: afterwards no row says what is not so. */
    public static RoostService open(Home home, EngineConfig config, ProjectLookup projectLookup, Clock clock) {
        return open(home, config, projectLookup, clock, LedgerMetrics.NONE);
    }

    /** The same, with everything that happens told to {@code meters}, settling included. */
    public static RoostService open(
            Home home, EngineConfig config, ProjectLookup projectLookup, Clock clock, LedgerMetrics metrics) {
        return open(home, config, projectLookup, clock, metrics, SqliteLedger.open(home.ledger(), clock), Cluster.NONE);
    }

    /** The same with a ledger that it may share with {@code peers}. */
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
        return open(home, config, ProjectLookup.NONE, clock, cgroups, exits, LedgerMetrics.NONE, ledger, Cluster.NONE);
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
        var undo = new ArrayDeque<Runnable>(List.of(cluster::close, exits::close, ledger::close));
        try {
            ledger.listeners().setMetrics(metrics);
            ledger.setFaultPoints(config.faults());
            var worktrees = new WorktreeService(home, config, clock, ledger, projectLookup, cluster);
            var uploader = new TransferUploader(
                    home,
                    clock,
                    ledger,
                    cluster,
                    worktrees,
                    config.worktreePolicy().checkpointEvery());
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
                    new RunChangeListeners(),
                    worktrees,
                    uploader,
                    cluster);
            if (MachineLimits.roomForStarts(1) == 0) throw tooFewFiles();
            ledger.deliveries().setChannels(config.channels());
            ledger.listeners().onCommit(runs -> runs.forEach(context.changes()::notifyListeners));
            var service = new RoostService(context, projectLookup);
            undo.clear();
            undo.add(service::close);
            service.begin();
            return service;
        } catch (IOException | RuntimeException e) {
            undo.forEach(Runnable::run);
            if (e instanceof RuntimeException known) throw known;
            throw new Broken(
                    "home_unusable", "The home %s cannot be used: %s.".formatted(home.root(), e), "Check the disk.");
        }
    }

    /** Without room for a single run, what is accepted would wait for ever, and nobody would know why. */
    private static Broken tooFewFiles() {
        return new Broken(
                "too_few_open_files",
                "This process may open %d files only, too few to start a run."
                        .formatted(MachineLimits.openFilesLimit()),
                "Raise the limit (ulimit -n 4096) and start the daemon again.");
    }

    public int liveCount() {
        return supervisor.count();
    }

    /** The nodes that share this one's ledger. */
    public NodeDirectory nodes() {
        return context.cluster().nodeDirectory();
    }

    /** The run once the free slots are given out: if it is queued even then, it has to wait for one. */
    public RunRecord awaitPlacement(RunRecord run) {
        if (context.cluster().isClustered())
            context.cluster().placeQueued(context.config().caps());
        else supervisor.claimQueued();
        return context.ledger()
                .runs()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    /** Live runs, and those that have ended since then, newest first; anybody's for the operator. */
    public List<RunRecord> since(Instant since, Caller caller) {
        return context.ledger().runs().since(since, caller.scope());
    }

    /** Why these runs do not begin or do not answer, as far as that can be said. */
    public Map<RunId, String> waitReasons(List<RunRecord> runs) {
        try {
            return context.cluster().waitReasons(runs);
        } catch (Broken e) { // what was done is done, though nobody can say more of it now
            if (!e.code().startsWith("ledger_")) throw e;
            return Map.of();
        }
    }

    /** Accepts a run. When this returns the run is durable, and its output file is there. */
    public RunRecord start(StartRequest request) {
        return submitter.start(request);
    }

    /** The run from inside which this is asked: by the cookie it was given, or by where the asking process comes from. */
    public Optional<RunRecord> findCallingRun(StartRequest.Origin origin) {
        return submitter.findCallingRun(origin);
    }

    /** Finds a run by id, by an unambiguous beginning of it, or by name: the caller's own, or anybody's for the operator. */
    public RunRecord find(String text, Caller caller) {
        return new RunFinder(context).find(text, caller);
    }

    /** What becomes of runs, as it happens. */
    public ChangeFeeds changeFeeds() {
        return changeFeeds;
    }

    /** What keeps the home in order. */
    public Maintenance maintenance() {
        return new Maintenance(context, supervisor, messageSender);
    }

    /** What is known of parent sessions, and what they are told. */
    public OwnerSessions sessions() {
        return sessions;
    }

    /** Where the code of runs is. */
    public RunWorktrees runWorktrees() {
        return new RunWorktrees(context);
    }

    /** What happened meanwhile. */
    public ActivityReports activityReports() {
        return new ActivityReports(context);
    }

    /** What other tools have lost. */
    public RescueImporter rescueImporter() {
        return new RescueImporter(context, submitter);
    }

    /** What lets programs in. Making and revoking them is for a person to do: surfaces see to that. */
    public TokenStore tokens() {
        return context.ledger().tokens();
    }

    /** The agents that can be asked for in {@code directory}. */
    public AgentCatalog agents(Path directory) {
        return AgentCatalog.in(directory, context.config(), projectLookup);
    }

    /** How many runs may be live at once. */
    public Caps caps() {
        return context.config().caps();
    }

    /** The end of what the run has said, at most {@code most} bytes of it. */
    public String outputTail(RunRecord run, int most) {
        return outputs.tail(run, most);
    }

    /** For anybody but the operator, somebody else's runs are not there. */
    public List<RunRecord> list(RunQuery query, Caller caller) {
        if (!caller.mayActFor(query.owner())) return List.of();
        return context.ledger().runs().list(query.of(caller.scope(query.owner())));
    }

    /** For who knows the id and answers to nobody but the operator. */
    public Optional<RunRecord> run(RunId id) {
        return context.ledger().runs().find(id);
    }

    /** What an attempt left, where that is in the ledger. */
    public Optional<String> result(RunRecord run, int attempt) {
        return context.ledger().runs().result(run.id(), attempt);
    }

    /** What its agent said, one JSON object a line; there is none of a command. */
    public Path transcript(RunRecord run) {
        return context.home().run(run.id()).transcript();
    }

    /** A variable of the environment that the run was asked for in. */
    public Optional<String> variable(RunRecord run, String name) {
        if (context.cluster().isClustered()) {
            return context.cluster()
                    .getOrder(run.id(), 1)
                    .flatMap(order -> Optional.ofNullable(order.environment().get(name)));
        }
        try {
            var directory = context.home().run(run.id()).attempt(1);
            return Optional.ofNullable(directory.environment().get(name));
        } catch (IOException e) {
            return Optional.empty(); // removed, or not readable any more
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

    /** What the run said, waiting as asked. Reading changes nothing; {@link #markRead} does. */
    public OutputPage output(RunRecord run, OutputPage.Request request) {
        return outputs.read(run.id(), request);
    }

    /** How many bytes there are to {@link #output}. */
    public long outputLength(RunRecord run) {
        return outputs.length(run);
    }

    /** To be called once the end of this attempt was written out to its reader. Only the owner's reading counts. */
    public void markRead(RunRecord run, int attempt, Caller caller) {
        if (run.owner().equals(caller.owner())) context.ledger().notices().markRead(run.id(), attempt);
    }

    /** The same, and why; of a run that has ended already that is kept as what it is, words that came too late. */
    public RunRecord stop(RunRecord run, Caller caller, Optional<String> reason) {
        boolean live = run(run.id()).filter(now -> !now.status().ended()).isPresent();
        reason.ifPresent(
                why -> note(run, live ? EventKind.STOP_REASON : EventKind.LATE_STOP, TextFormat.printable(why)));
        return stop(run, caller);
    }

    /** Stops the run and returns when its whole process tree is gone; or when its node is not heard of, which is told later. */
    public RunRecord stop(RunRecord run, Caller caller) {
        var stop = new StopReason.UserStop(caller.asActor());
        var asked = context.ledger()
                .requestStop(run.id(), stop)
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
        if (asked.status().ended()) {
            if (asked.latest().startedAt().isEmpty()) {
                supervisor.finalizeOutput(asked.id());
                outputs.awaitFinalized(asked.id()); // whoever still led the attempt before it does that
            }
            return asked;
        }
        supervisor.stop(asked, asked.latest().stopping().orElse(stop));
        return outputs.awaitEnd(asked.id());
    }

    /** Steers a live run, answers its question, or continues one that has ended. */
    public RunRecord send(RunRecord run, String text, Caller caller) {
        return send(run, text, caller, Optional.empty());
    }

    /** The same; a call that is made again has the same {@code callKey}, and says nothing twice. */
    public RunRecord send(RunRecord run, String text, Caller caller, Optional<String> callKey) {
        return messageSender.send(run, text, new MessageSender.MessageOrigin(caller, callKey));
    }

    /** Answers this question of its and no other: whoever has read another answers nothing. */
    public RunRecord answer(RunRecord run, String question, String text, Caller caller) {
        var open = run.latest().asked().map(asked -> asked.question().id());
        if (!open.equals(Optional.of(question))) {
            throw new Refusal(
                    "question_closed", "That question is not open any more.", "Look at what the run does now.");
        }
        return send(run, text, caller);
    }

    /** Whether a message would reach the run as it is now. */
    public boolean acceptsMessages(RunRecord run) {
        return messageSender.acceptsMessages(run);
    }

    /** What the model's use of all attempts adds up to. */
    public Usage usage(RunRecord run) {
        return context.ledger().runs().attempts(run.id()).stream()
                .map(AttemptRecord::usage)
                .reduce(Usage.NONE, Usage::plus);
    }

    /** Adds a line to the run's timeline. */
    public void note(RunRecord run, EventKind kind, String text) {
        context.ledger().note(run.id(), run.latest().n(), kind, text);
    }

    public List<NoticeRecord> inbox(Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return context.ledger().notices().pending(caller.scope(owner));
    }

    public List<Long> acknowledge(List<Long> notices, Caller caller) {
        return context.ledger().notices().acknowledge(notices, caller.scope());
    }

    /** What goes out by the channels of {@link EngineConfig}. */
    public DeliveryStore deliveries() {
        return context.ledger().deliveries();
    }

    /** Called, quickly, after each commit that wrote a notice. */
    public void onNotice(Runnable listener) {
        context.ledger().listeners().onNotice(_ -> listener.run());
    }

    /** Who is meant where somebody on this machine says that name. */
    public Owner owner(String name) {
        return new Owner(name).at(context.cluster().self());
    }

    /** Who is meant by a project's directory on this machine, where nothing else is known of a session. */
    public Owner ownerIn(String harness, Path directory) {
        return new Owner(harness + ":" + directory).on(context.cluster().self());
    }

    /** What signs tokens; nothing does in a home that is alone. */
    public Optional<TokenKey> tokenKey() {
        return context.cluster().tokenKey();
    }

    /** Revokes all tokens, and lets nobody make one with the old key. For a person to do: surfaces see to that. */
    public int rotateTokenKey() {
        return context.cluster().rotateTokenKey();
    }

    /** Makes ready for a pause: everything is kept, and the operator's hook is run. */
    public PauseWindow pause() {
        return pauseTracker.announce(context.config().pausePolicy().deadline());
    }

    /** The same in less time than the operator allows, for whoever cannot hold the pause up for longer. */
    public PauseWindow pause(Duration most) {
        var usual = context.config().pausePolicy().deadline();
        return pauseTracker.announce(most.compareTo(usual) < 0 ? most : usual);
    }

    /** A pause that was announced, or that the clocks show, is over. */
    public Optional<PauseWindow> resume() {
        return pauseTracker.resume();
    }

    /** Looks at every live attempt at once; every two seconds this is done for those to whom something may have happened. */
    public void sweep() {
        supervisor.sweep();
    }

    /** Lets go of everything and leaves the agents running. */
    @Override
    public void close() {
        wakeScheduler.close();
        changeFeeds.close();
        context.worktrees().stopTimer();
        context.cluster().stopAccepting();
        supervisor.close();
        pauseTracker.recordShutdown();
        context.uploader().close();
        context.worktrees().close();
        context.cluster().close(); // after the last who has something for them
        context.fileWatcher().close();
        context.exitWatcher().close();
        context.ledger().close();
    }
}
