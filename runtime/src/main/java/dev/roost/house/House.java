package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Environment;
import dev.roost.agents.Job;
import dev.roost.ledger.Attempt;
import dev.roost.ledger.Deliveries;
import dev.roost.ledger.Event;
import dev.roost.ledger.Heard;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Meters;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Notice;
import dev.roost.ledger.NoticeTrace;
import dev.roost.ledger.Offer;
import dev.roost.ledger.Pause;
import dev.roost.ledger.Query;
import dev.roost.ledger.Report;
import dev.roost.ledger.Run;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.Tallies;
import dev.roost.ledger.Tally;
import dev.roost.ledger.Token;
import dev.roost.rescue.Lost;
import dev.roost.rescue.Places;
import dev.roost.rescue.Search;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import dev.roost.run.Words;
import dev.roost.sessions.WakePolicy;
import dev.roost.supervisor.Cgroups;
import dev.roost.supervisor.Exits;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.Machine;
import dev.roost.supervisor.Perches;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.RunDirectory;
import dev.roost.worktrees.Changed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** The facade that every surface calls. One truth: what it answers, it reads from the ledger. */
public final class House implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(House.class.getName());

    private final Rooms rooms;
    private final Attempts attempts;
    private final Outputs outputs;
    private final Sending sending;
    private final Projects projects;
    private final Waking waking;
    private final Pausing pausing;
    private final Following following;
    private final Stir stir = new Stir();

    private House(Rooms rooms, Attempts attempts, Projects projects, Pausing pausing) {
        this.pausing = pausing;
        this.rooms = rooms;
        this.projects = projects;
        this.attempts = attempts;
        this.outputs = new Outputs(rooms, attempts);
        this.sending = new Sending(rooms, attempts, outputs);
        this.waking = Waking.open(rooms);
        this.following = new Following(rooms.ledger().happenings());
        rooms.ledger().onCommit(_ -> following.committed());
        attempts.afterAnEnd(sending::deliverLateWords);
        rooms.ledger().onCommit(stir::touched);
        rooms.ledger().onNotice(waking::news);
        for (var notice : rooms.ledger().pending(Optional.empty()))
            waking.news(notice.owner()); // of what ended meanwhile
    }

    /** Opens a home and settles what the last daemon left: afterwards no row says what is not so. */
    public static House open(Home home, Config config, Projects projects, Clock clock) {
        return open(home, config, projects, clock, Meters.NONE);
    }

    /** The same, with everything that happens told to {@code meters}, settling included. */
    public static House open(Home home, Config config, Projects projects, Clock clock, Meters meters) {
        return open(home, config, projects, clock, meters, SqliteLedger.open(home.ledger(), clock), Peers.NONE);
    }

    /** The same with a ledger that it may share with {@code peers}. */
    public static House open(
            Home home, Config config, Projects projects, Clock clock, Meters meters, Ledger ledger, Peers peers) {
        return open(home, config, projects, clock, Cgroups.open(), Exits.open(), meters, ledger, peers);
    }

    static House open(Home home, Config config, Clock clock, Cgroups cgroups, Exits exits) {
        var ledger = SqliteLedger.open(home.ledger(), clock);
        return open(home, config, Projects.NONE, clock, cgroups, exits, Meters.NONE, ledger, Peers.NONE);
    }

    private static House open(
            Home home,
            Config config,
            Projects projects,
            Clock clock,
            Cgroups cgroups,
            Exits exits,
            Meters meters,
            Ledger ledger,
            Peers peers) {
        try {
            ledger.measuredBy(meters);
            ledger.disturbedBy(config.faults());
            var keeping = new Keeping(home, config, clock, ledger, projects, peers);
            var porter = new Porter(
                    home, clock, ledger, peers, keeping, config.working().checkpointEvery());
            var rooms = new Rooms(
                    home,
                    config,
                    clock,
                    ledger,
                    new Perches(home, cgroups),
                    exits,
                    FileEvents.open(),
                    new Changes(),
                    keeping,
                    porter,
                    peers);
            if (Machine.roomForStarts(1) == 0) throw tooFewFiles();
            ledger.deliveries().by(config.channels());
            ledger.onCommit(runs -> runs.forEach(rooms.changes()::ring));
            var attempts = new Attempts(rooms);
            var pausing = new Pausing(rooms, keeping::keepAll);
            attempts.beforeAStart(pausing::look);
            attempts.settle();
            keeping.start();
            peers.join(attempts);
            return new House(rooms, attempts, projects, pausing);
        } catch (IOException | RuntimeException e) {
            peers.close();
            ledger.close();
            if (e instanceof RuntimeException known) throw known;
            throw new Broken(
                    "home_unusable", "The home %s cannot be used: %s.".formatted(home.root(), e), "Check the disk.");
        }
    }

    /** Without room for a single run, what is accepted would wait for ever, and nobody would know why. */
    private static Broken tooFewFiles() {
        return new Broken(
                "too_few_open_files",
                "This process may open %d files only, too few to start a run.".formatted(Machine.openFilesLimit()),
                "Raise the limit (ulimit -n 4096) and start the daemon again.");
    }

    public int live() {
        return attempts.count();
    }

    /** The nodes that share this one's ledger. */
    public Nodes nodes() {
        return rooms.peers().roster();
    }

    /** How much there is of what; of owners only so many, the biggest. */
    public Tally tally(int owners) {
        return rooms.ledger().tally(owners);
    }

    /** What keeps this home from being of use now. */
    public Readiness readiness() {
        return new Readiness(
                rooms.home(), rooms.ledger(), () -> attempts.unled(rooms.clock().now()));
    }

    /** Accepts a run. When this returns the run is durable, and its output file is there. */
    public Run start(StartRequest request) {
        var again = request.terms().callKey().flatMap(rooms.ledger()::startedBy);
        if (again.isPresent()) return again.get();
        var project = projects.at(request.cwd());
        var agent = Agents.of(rooms.config(), project, request.agent());
        var driver = Drivers.of(agent.profile().driver());
        boolean command = driver.name().equals("command");
        request.name().ifPresent(Words::name);
        if (request.resumeOnLoss().orElse(false) && !driver.abilities().resume()) {
            throw new Refused(
                    "cannot_resume",
                    "The agent \"%s\" cannot resume, so on_loss=resume is not possible.".formatted(request.agent()),
                    "Leave on_loss away, or pass report.");
        }
        if (!rooms.peers().reach(request.cwd())) {
            throw new BadInput(
                    "no_such_directory",
                    "There is no directory \"%s\"."
                            .formatted(Words.printable(request.cwd().toString())),
                    "Pass an existing directory, as an absolute path.");
        }
        var tags = tags(agent, request.terms().on());
        var environment = Environment.filtered(request.environment());
        var launcher = request.terms().launcher();
        if (launcher.isEmpty() && !rooms.peers().any())
            driver.check(agent.profile(), request.task(), request.cwd(), environment);
        rooms.config().day().refuseMore(request.owner(), rooms.ledger());

        var parent = inside(request.origin());
        int depth = parent.map(Run::depth).orElse(0) + 1;
        if (depth > rooms.config().maxDepth()) {
            throw new Refused(
                    "too_deep",
                    "This is inside run %s, and a run may not start runs %s."
                            .formatted(
                                    parent.map(run -> run.id().text()).orElse("?"),
                                    depth == 2 ? "of its own" : "this deep"),
                    "Do the work here, or let the parent session start it; max_depth in config.toml is %d."
                            .formatted(rooms.config().maxDepth()));
        }
        var id = RunId.create(rooms.clock().now());
        var directory = rooms.home().run(id);
        boolean worktree = request.terms().worktree();
        var source = new Sources(rooms.peers(), rooms.keeping().git(request.environment())).of(request.cwd(), worktree);
        // among several nodes, the one that begins it finds a place for it
        var placed = worktree && !rooms.peers().any()
                ? Optional.of(rooms.keeping().place(id, request.cwd()))
                : Optional.<Keeping.Placed>empty();
        var cwd = placed.map(Keeping.Placed::cwd).orElse(request.cwd());
        var job = new Job(
                agent.profile().behind(launcher),
                command ? request.task() : request.task().asPrompt(),
                cwd,
                directory.attempt(1).prompt(),
                request.budget()
                        .orElse(agent.budget())
                        .orElse(Budget.ofOutput(rooms.config().maxOutput()))
                        .atMost(project.caps()),
                Optional.empty(),
                Usage.NONE,
                placed.isPresent());
        var run = new NewRun(
                id,
                request.name(),
                request.owner(),
                request.agent(),
                driver.name(),
                job.profile().json(),
                request.description().orElseGet(() -> describe(request)),
                cwd,
                job.budget(),
                request.resumeOnLoss().orElse(driver.abilities().resume()),
                depth,
                parent.map(Run::id),
                request.terms().tell(),
                request.terms().callKey(),
                placed.map(Keeping.Placed::place));
        var wish = new Wish(
                request.agent(),
                job.task(),
                request.cwd(),
                environment,
                request.umask(),
                Optional.empty(),
                worktree,
                rooms.peers().self(),
                tags,
                source,
                Optional.empty());
        var accepted = accept(run, directory, job, wish);
        attempts.fillSoon();
        return accepted;
    }

    /** Those of the agent, and those that are asked for. */
    private Set<String> tags(Config.NamedAgent agent, List<String> asked) {
        var tags = new TreeSet<>(agent.on());
        for (var tag : asked) {
            if (!Wish.isTag(tag)) {
                throw new BadInput(
                        "bad_tag",
                        "\"%s\" cannot be a tag.".formatted(Words.printable(tag)),
                        "Pass one that nodes have; roost node list shows them.");
            }
            tags.add(tag);
        }
        if (tags.isEmpty() || rooms.peers().any()) return tags;
        throw new Refused(
                "no_cluster",
                "This home is alone, so there is no machine with the tag %s to run it on."
                        .formatted(String.join(" and ", tags)),
                "Leave it away, or take part in a cluster: docs/cluster.md.");
    }

    /** Whether this call has started its run already. */
    public boolean isStarted(String callKey) {
        return rooms.ledger().startedBy(callKey).isPresent();
    }

    /** The run once the free slots are given out: if it is queued even then, it has to wait for one. */
    public Run settled(Run run) {
        if (rooms.peers().any()) rooms.peers().giveOut(rooms.config().caps());
        else attempts.fill();
        return rooms.ledger()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    /** The run from inside which this is asked: by the cookie it was given, or by where the asking process comes from. */
    public Optional<Run> inside(StartRequest.Origin origin) {
        var byCookie = origin.runId().flatMap(RunId::parse).flatMap(rooms.ledger()::find);
        return byCookie.isPresent() ? byCookie : origin.pid().flatMap(attempts::holderOf);
    }

    private static String describe(StartRequest request) {
        return Words.printable(request.task()
                .prompt()
                .orElseGet(() -> String.join(" ", request.task().argv())));
    }

    /** Files first, then the row: a crash in between leaves a directory without a row, which the next start removes. */
    private Run accept(NewRun run, RunDirectory directory, Job job, Wish wish) {
        try {
            rooms.home().accepting().begin(run.id());
            directory.create();
            if (rooms.peers().any()) rooms.peers().order(run.id(), 1, wish);
            else Jobs.prepare(rooms, directory.attempt(1), job, wish.environment(), wish.umask());
            var accepted =
                    rooms.ledger().submit(run, rooms.peers().caps(rooms.config().caps()));
            if (!accepted.id().equals(run.id())) directory.delete(); // the same call came twice at once
            noLongerAccepting(run.id());
            return accepted;
        } catch (IOException | RuntimeException e) {
            if (discard(directory, e)) noLongerAccepting(run.id());
            if (e instanceof RuntimeException known) throw known;
            throw new Broken(
                    "home_unwritable",
                    "The run could not be written to %s: %s.".formatted(directory.path(), e.getMessage()),
                    "Check the disk; nothing was started.");
        } finally {
            rooms.peers().dropped(run.id(), 1);
        }
    }

    private void noLongerAccepting(RunId run) {
        try {
            rooms.home().accepting().done(run);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the next start looks at " + run, e);
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

    /** Which runs change from now on: anybody's, so it is for surfaces that see to it who is told what. */
    public News news() {
        return rooms.changes().ofAll();
    }

    /** Whenever this run changes. */
    public News news(Run run) {
        return rooms.changes().of(run.id()::equals);
    }

    /** Live runs, and those that have ended since then, newest first; anybody's for the operator. */
    public List<Run> since(Instant since, Caller caller) {
        return rooms.ledger().since(since, caller.scope());
    }

    /** Why these runs do not begin or do not answer, as far as that can be said. */
    public Map<RunId, String> waits(List<Run> runs) {
        try {
            return rooms.peers().waits(runs);
        } catch (Broken e) { // what was done is done, though nobody can say more of it now
            if (!e.code().startsWith("ledger_")) throw e;
            return Map.of();
        }
    }

    /** How many runs may be live at once. */
    public Caps caps() {
        return rooms.config().caps();
    }

    /** The end of what the run has said, at most {@code most} bytes of it. */
    public String lastWords(Run run, int most) {
        return outputs.tail(run, most);
    }

    /** The files that the run's own worktree, or what was kept of it, has other than its base; empty if there is none. */
    public Optional<List<Changed>> changed(Run run) {
        return rooms.keeping().changed(run);
    }

    /** The other node that has the run's files. */
    public Optional<String> elsewhere(Run run) {
        return rooms.keeping().isHere(run) ? Optional.empty() : run.holder();
    }

    /** Finds a run by id, by an unambiguous beginning of it, or by name: the caller's own, or anybody's for the operator. */
    public Run find(String text, Caller caller) {
        var found = rooms.ledger().named(text, caller.scope());
        var exact = found.stream().filter(run -> run.id().text().equals(text)).findFirst();
        if (exact.isPresent()) return exact.get();
        var byName = found.stream()
                .filter(run -> run.name().equals(Optional.of(text)))
                .toList();
        if (!byName.isEmpty()) return named(text, byName, caller);
        if (found.isEmpty() || text.isBlank()) throw new NoSuchRun(text);
        if (found.size() == 1) return found.getFirst();
        throw ambiguous("\"%s\" is the beginning of several runs".formatted(Words.printable(text)), found);
    }

    /** The latest that has the name; whose, must be plain: the operator sees everybody's, and means the own one first. */
    private static Run named(String name, List<Run> found, Caller caller) {
        var own =
                found.stream().filter(run -> run.owner().equals(caller.owner())).findFirst();
        if (own.isPresent()) return own.get();
        if (found.stream().map(Run::owner).distinct().count() == 1) return found.getFirst();
        throw ambiguous("Runs of several owners have the name \"%s\"".formatted(Words.printable(name)), found);
    }

    private static BadInput ambiguous(String sentence, List<Run> found) {
        var some = found.stream().limit(5).map(run -> run.id().text()).toList();
        return new BadInput(
                "ambiguous_run",
                "%s: %s%s.".formatted(sentence, String.join(", ", some), found.size() > 5 ? ", …" : ""),
                "Give more of the id, or the run's name.");
    }

    /** For anybody but the operator, somebody else's runs are not there. */
    public List<Run> list(Query query, Caller caller) {
        if (!caller.mayActFor(query.owner())) return List.of();
        var owner = caller.operator() ? query.owner() : Optional.of(caller.owner());
        return rooms.ledger().list(query.of(owner));
    }

    /** For who knows the id and answers to nobody but the operator. */
    public Optional<Run> run(RunId id) {
        return rooms.ledger().find(id);
    }

    /** What an attempt left, where that is in the ledger. */
    public Optional<String> result(Run run, int attempt) {
        return rooms.ledger().result(run.id(), attempt);
    }

    /** What its agent said, one JSON object a line; there is none of a command. */
    public Path transcript(Run run) {
        return rooms.home().run(run.id()).transcript();
    }

    /** A variable of the environment that the run was asked for in. */
    public Optional<String> variable(Run run, String name) {
        if (rooms.peers().any()) {
            return rooms.peers()
                    .ordered(run.id(), 1)
                    .flatMap(wish -> Optional.ofNullable(wish.environment().get(name)));
        }
        try {
            var directory = rooms.home().run(run.id()).attempt(1);
            return Optional.ofNullable(directory.environment().get(name));
        } catch (IOException e) {
            return Optional.empty(); // removed, or not readable any more
        }
    }

    /** What became of runs that the caller may see since {@code after}, an earlier answer's position; waits until there is something. */
    public Stirred changes(Optional<String> after, Duration timeout, Caller caller) {
        return new Stirring(rooms, stir).since(after, timeout, caller);
    }

    public List<Attempt> attempts(Run run) {
        return rooms.ledger().attempts(run.id());
    }

    public List<Event> events(Run run) {
        return rooms.ledger().events(run.id());
    }

    /** The number of what happened last, to whichever run. */
    public long newestEvent() {
        return rooms.ledger().happenings().newest();
    }

    /** Follows what happens after that number: to the runs of {@code owner}, or to all that the caller may see. */
    public Follower follow(long after, Optional<Owner> owner, Caller caller) {
        return following.follow(after, caller.operator() ? owner : Optional.of(caller.owner()));
    }

    /** How many runs each owner has that the caller may see. */
    public List<Tallies.OfOwner> owners(Caller caller) {
        return rooms.ledger().tallies().owners(caller.scope());
    }

    /** What was spent in the days {@code back}, today included. */
    public List<Tallies.Spent> spent(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        var since = LocalDate.ofInstant(rooms.clock().now().minus(back), ZoneOffset.UTC);
        return rooms.ledger().tallies().spent(since, caller.operator() ? owner : Optional.of(caller.owner()));
    }

    /** Pauses in the time {@code back}, newest first, with what became of the runs that the caller may see. */
    public List<Pause> pauses(Duration back, Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return new Reporting(rooms).pauses(rooms.clock().now().minus(back), caller.operator() ? owner : caller.scope());
    }

    public List<NoticeTrace> notices(Run run) {
        return rooms.ledger().noticesOf(run.id());
    }

    public Path outputFile(Run run) {
        return rooms.home().run(run.id()).output();
    }

    /** What the run said, waiting as asked. Reading changes nothing; {@link #wasRead} does. */
    public Output output(Run run, Output.Request request) {
        return outputs.read(run.id(), request);
    }

    /** How many bytes there are to {@link #output}. */
    public long outputLength(Run run) {
        return outputs.length(run);
    }

    public Path rawStream(Run run, int attempt) {
        return rooms.home().run(run.id()).attempt(attempt).out();
    }

    /** To be called once the end of this attempt was written out to its reader. Only the owner's reading counts. */
    public void wasRead(Run run, int attempt, Caller caller) {
        if (run.owner().equals(caller.owner())) rooms.ledger().read(run.id(), attempt);
    }

    /** The same, and why; of a run that has ended already that is kept as what it is, words that came too late. */
    public Run stop(Run run, Caller caller, Optional<String> reason) {
        boolean live = run(run.id()).filter(now -> !now.status().ended()).isPresent();
        reason.ifPresent(why -> note(run, live ? EventKind.STOP_REASON : EventKind.LATE_STOP, Words.printable(why)));
        return stop(run, caller);
    }

    /** Stops the run and returns when its whole process tree is gone; or when its node is not heard of, which is told later. */
    public Run stop(Run run, Caller caller) {
        var stop = new Stop.ByUser(caller.asActor());
        var asked = rooms.ledger()
                .requestStop(run.id(), stop)
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
        if (asked.status().ended()) {
            if (asked.latest().startedAt().isEmpty()) {
                attempts.seal(asked.id());
                outputs.awaitSealed(asked.id()); // whoever still led the attempt before it does that
            }
            return asked;
        }
        attempts.stop(asked, asked.latest().stopping().orElse(stop));
        return outputs.awaitEnd(asked.id());
    }

    /** Steers a live run, answers its question, or continues one that has ended. */
    public Run send(Run run, String text, Caller caller) {
        return send(run, text, caller, Optional.empty());
    }

    /** The same; a call that is made again has the same {@code callKey}, and says nothing twice. */
    public Run send(Run run, String text, Caller caller, Optional<String> callKey) {
        return sending.send(run, text, new Sending.From(caller, callKey));
    }

    /** Whether a message would reach the run as it is now. */
    public boolean listens(Run run) {
        return sending.reaches(run);
    }

    /** What the model's use of all attempts adds up to. */
    public Usage usage(Run run) {
        return rooms.ledger().attempts(run.id()).stream().map(Attempt::usage).reduce(Usage.NONE, Usage::plus);
    }

    /** What the project at {@code directory} has to say. */
    public Project project(Path directory) {
        return projects.at(directory);
    }

    /** Which agent works in {@code directory} if nobody names one. */
    public String defaultAgent(Path directory) {
        return configuredAgent(directory).orElse("command");
    }

    /** Which agent the project or the operator wants if nobody names one. */
    public Optional<String> configuredAgent(Path directory) {
        return projects.at(directory).defaultAgent().or(() -> rooms.config().defaultAgent());
    }

    public List<String> agentNames(Path directory) {
        return Agents.names(rooms.config(), projects.at(directory));
    }

    /** Adds a line to the run's timeline. */
    public void note(Run run, EventKind kind, String text) {
        rooms.ledger().note(run.id(), run.latest().n(), kind, text);
    }

    /** The agents that can be asked for in {@code directory}, with their programs looked up in {@code environment}. */
    public List<KnownAgent> agents(Path directory, Map<String, String> environment) {
        return new AgentSurvey(rooms.config(), projects.at(directory), directory, environment).take();
    }

    public List<Notice> inbox(Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return rooms.ledger().pending(caller.operator() ? owner : Optional.of(caller.owner()));
    }

    public List<Long> acknowledge(List<Long> notices, Caller caller) {
        return rooms.ledger().acknowledge(notices, caller.scope());
    }

    /** Takes in what a harness reports of a parent session; what is to be put before it, it has not yet been given. */
    public Heard hear(Report report) {
        var heard = rooms.ledger()
                .hear(
                        report,
                        (parent, untold) -> waking.rules()
                                .againstAnotherTurn(parent, untold)
                                .isEmpty());
        if (heard.parent().state() != Parent.State.IDLE) waking.release(report.owner());
        if (heard.parent().state() == Parent.State.ENDED
                && rooms.config().waking().mode() == WakePolicy.Mode.HEADLESS) waking.news(report.owner());
        return heard;
    }

    /** To be called once an offer was written out to the harness. */
    public void wasOffered(Offer offer) {
        rooms.ledger().written(offer.id());
    }

    /** To be called if it was not: it may be made again in the same turn. One that was is not touched. */
    public void wasNotOffered(Offer offer) {
        rooms.ledger().withdraw(offer.id());
    }

    /** Waits until this owner's session is to be woken; empty if there is no need to wait any more. */
    public Optional<Offer> awaitWake(Owner owner, Duration timeout) throws InterruptedException {
        return waking.await(owner, timeout);
    }

    /** How a session that has ended is continued without anybody before it; false if it cannot be. */
    public void onHeadlessWake(BiFunction<Parent, Offer, Boolean> way) {
        waking.headless(way);
    }

    /** What goes out by the channels of {@link Config}. */
    public Deliveries deliveries() {
        return rooms.ledger().deliveries();
    }

    /** Called, quickly, after each commit that wrote a notice. */
    public void onNotice(Runnable listener) {
        rooms.ledger().onNotice(_ -> listener.run());
    }

    public Optional<Parent> parent(Owner owner) {
        return rooms.ledger().parent(owner);
    }

    /** The session that was last heard of in this process. */
    public Optional<Parent> parentIn(Parent.Harness process) {
        return rooms.ledger().parentIn(process);
    }

    /** The harness that has started the process with this pid, be it through a shell. */
    public static Optional<Parent.Harness> harnessOf(long pid) {
        return Processes.starter(pid).map(process -> new Parent.Harness(process, Processes.bootId()));
    }

    /** The harness that is the process with this pid. */
    public static Optional<Parent.Harness> harness(long pid) {
        return Processes.ancestors(pid).stream()
                .findFirst()
                .map(process -> new Parent.Harness(process, Processes.bootId()));
    }

    public List<Parent> parents() {
        return rooms.ledger().parents();
    }

    /** What a session that was cleared leaves goes to the one that follows it. */
    public List<RunId> rehome(Owner from, Owner to) {
        return rooms.ledger().rehome(from, to);
    }

    /** Gives runs to another owner. For a person to do: surfaces see to that. */
    public List<Run> adopt(List<Run> runs, Owner to) {
        rooms.ledger().adopt(runs.stream().map(Run::id).toList(), to);
        waking.news(to);
        return runs.stream()
                .map(run -> rooms.ledger().find(run.id()).orElseThrow())
                .toList();
    }

    /** Who is meant where somebody on this machine says that name. */
    public Owner owner(String name) {
        return new Owner(name).at(rooms.peers().self());
    }

    /** Who is meant by a project's directory on this machine, where nothing else is known of a session. */
    public Owner ownerIn(String harness, Path directory) {
        return new Owner(harness + ":" + directory).on(rooms.peers().self());
    }

    /** What signs tokens; nothing does in a home that is alone. */
    public Optional<TokenKey> tokenKey() {
        return rooms.peers().tokenKey();
    }

    /** Revokes all tokens, and lets nobody make one with the old key. For a person to do: surfaces see to that. */
    public int rotateTokenKey() {
        return rooms.peers().rotateTokenKey();
    }

    /** Lets programs in with this token. For a person to do: surfaces see to that. */
    public void addToken(Token token) {
        rooms.ledger().addToken(token);
    }

    public Optional<Token> token(String sha256) {
        return rooms.ledger().token(sha256);
    }

    public List<Token> tokens() {
        return rooms.ledger().tokens();
    }

    public void tokenWasUsed(Token token) {
        rooms.ledger().tokenUsed(token.id());
    }

    public boolean revokeToken(String id) {
        return rooms.ledger().revokeToken(id);
    }

    /** Makes ready for a pause: everything is kept, and the operator's hook is run. */
    public Pause pause() {
        return pausing.announce(rooms.config().pausing().deadline());
    }

    /** The same in less time than the operator allows, for whoever cannot hold the pause up for longer. */
    public Pause pause(Duration most) {
        var usual = rooms.config().pausing().deadline();
        return pausing.announce(most.compareTo(usual) < 0 ? most : usual);
    }

    /** A pause that was announced, or that the clocks show, is over. */
    public Optional<Pause> resume() {
        return pausing.resume();
    }

    /** What happened in the time {@code back}, as far as the caller may see it; where the code is, is found out anew. */
    public AwayReport report(Duration back, Optional<Owner> owner, Caller caller) {
        return new Reporting(rooms).report(rooms.clock().now().minus(back), owner, caller);
    }

    /** The command with which a person gets a run's kept work without Roost. */
    public Optional<List<String>> plainGit(Run run) {
        return rooms.keeping().plainGit(run);
    }

    /** Brings a run's kept work back: where it was, or as a copy at {@code to}. */
    public Path restore(Run run, Optional<Path> to, Optional<Integer> checkpoint) {
        return new Restoring(rooms).restore(run, to, checkpoint);
    }

    /** The run with what is known now of where its code is. */
    public Run lookAgain(Run run) {
        return new Reporting(rooms).looked(run);
    }

    /** The same, as far as this machine knows it: at once. */
    public Run lookHere(Run run) {
        return new Reporting(rooms).lookedHere(run);
    }

    /** The run that this was brought in as. */
    public Optional<Run> rescued(Lost lost) {
        return rooms.ledger().startedBy(Rescuing.callKey(lost));
    }

    /** What other tools lost since then, as far as it can be seen from outside. */
    public Search.Found searchForLost(Places places, List<Path> repositories, Duration since) {
        var now = rooms.clock().now();
        var found = new Search(places, repositories, now.minus(since)).look(now);
        return found.without(new Rescuing(rooms)::isOurs);
    }

    /** Keeps what is uncommitted in a worktree of another tool's: by {@code run}, or else by an id of its own; the ref. */
    public String keepStray(Path worktree, Optional<RunId> run) {
        return rooms.keeping().keepStray(worktree, run.orElseGet(() -> RunId.ofPlace(worktree.toString())));
    }

    /** Makes a run of it, once. For the operator: its owner is somebody else. */
    public Run bringIn(Lost lost, Map<String, String> environment) {
        return new Rescuing(rooms).bringIn(lost, environment);
    }

    /** Removes ended runs by age and size; see {@link Pruning}. */
    public Pruned prune(Pruning wish) {
        return new Upkeep(rooms, attempts).prune(wish);
    }

    /** Looks at home and machine; with {@code fix}, also ends what should not be there any more. */
    public List<Finding> examine(boolean fix) {
        return new Doctor(rooms).examine(fix);
    }

    /** Copies the ledger to {@code copy} while it is in use. */
    public void backUp(Path copy) {
        if (insideHome(copy)) {
            throw new BadInput(
                    "backup_in_home",
                    "%s is inside the home, whose own files a back-up must not replace.".formatted(copy),
                    "Choose a place outside of %s.".formatted(rooms.home().root()));
        }
        rooms.ledger().backUp(copy);
    }

    private boolean insideHome(Path copy) {
        try {
            var parent = copy.toAbsolutePath().normalize().getParent();
            return parent != null
                    && parent.toRealPath().startsWith(rooms.home().root().toRealPath());
        } catch (IOException e) {
            return false; // no such directory: the back-up itself will say so
        }
    }

    /** Looks at every live attempt at once; every two seconds this is done for those to whom something may have happened. */
    public void sweep() {
        attempts.sweep();
    }

    /** Lets go of everything and leaves the agents running. */
    @Override
    public void close() {
        waking.close();
        following.close();
        rooms.keeping().leave();
        rooms.peers().retire();
        attempts.close();
        pausing.leave();
        rooms.porter().close();
        rooms.keeping().close();
        rooms.peers().close(); // after the last who has something for them
        rooms.files().close();
        rooms.exits().close();
        rooms.ledger().close();
    }
}
