package dev.roost.house;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Deliveries;
import dev.roost.ledger.Event;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.Meters;
import dev.roost.ledger.Notice;
import dev.roost.ledger.NoticeTrace;
import dev.roost.ledger.Pause;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.Tokens;
import dev.roost.run.Broken;
import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import dev.roost.run.Words;
import dev.roost.supervisor.Cgroups;
import dev.roost.supervisor.Exits;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.Machine;
import dev.roost.supervisor.Perches;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The facade that every surface calls. One truth: what it answers, it reads from the ledger. */
public final class House implements AutoCloseable {

    private final Rooms rooms;
    private final Attempts attempts;
    private final Outputs outputs;
    private final Sending sending;
    private final Projects projects;
    private final Waking waking;
    private final ParentSessions sessions;
    private final Accepting accepting;
    private final Pausing pausing;
    private final Watching watching;

    private House(Rooms rooms, Projects projects) {
        this.rooms = rooms;
        this.projects = projects;
        this.pausing = new Pausing(rooms, new BeforePause(rooms.keeping(), rooms.clock())::keepAll);
        this.attempts = new Attempts(rooms);
        this.outputs = new Outputs(rooms, attempts);
        this.sending = new Sending(rooms, attempts, outputs);
        this.waking = Waking.open(rooms);
        this.sessions = new ParentSessions(rooms, waking);
        this.accepting = new Accepting(rooms, attempts, projects);
        this.watching = new Watching(rooms);
    }

    private void begin() throws IOException {
        attempts.beforeAStart(pausing::look);
        attempts.settle();
        rooms.keeping().start();
        rooms.peers().join(attempts);
        attempts.afterAnEnd(sending::deliverLateWords);
        rooms.ledger().listeners().onNotice(waking::news);
        for (var notice : rooms.ledger().notices().pending(Optional.empty()))
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
        var undo = new ArrayDeque<Runnable>(List.of(peers::close, exits::close, ledger::close));
        try {
            ledger.listeners().measuredBy(meters);
            ledger.disturbedBy(config.faults());
            var keeping = new Keeping(home, config, clock, ledger, projects, peers);
            var porter = new Porter(
                    home, clock, ledger, peers, keeping, config.working().checkpointEvery());
            var perches = new Perches(home, cgroups);
            var files = FileEvents.open();
            undo.addFirst(files::close);
            var rooms = new Rooms(
                    home, config, clock, ledger, perches, exits, files, new Changes(), keeping, porter, peers);
            if (Machine.roomForStarts(1) == 0) throw tooFewFiles();
            ledger.deliveries().by(config.channels());
            ledger.listeners().onCommit(runs -> runs.forEach(rooms.changes()::ring));
            var house = new House(rooms, projects);
            undo.clear();
            undo.add(house::close);
            house.begin();
            return house;
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

    /** The run once the free slots are given out: if it is queued even then, it has to wait for one. */
    public Run settled(Run run) {
        if (rooms.peers().any()) rooms.peers().giveOut(rooms.config().caps());
        else attempts.fill();
        return rooms.ledger()
                .runs()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    /** Live runs, and those that have ended since then, newest first; anybody's for the operator. */
    public List<Run> since(Instant since, Caller caller) {
        return rooms.ledger().runs().since(since, caller.scope());
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

    /** Accepts a run. When this returns the run is durable, and its output file is there. */
    public Run start(StartRequest request) {
        return accepting.start(request);
    }

    /** The run from inside which this is asked: by the cookie it was given, or by where the asking process comes from. */
    public Optional<Run> inside(StartRequest.Origin origin) {
        return accepting.inside(origin);
    }

    /** Finds a run by id, by an unambiguous beginning of it, or by name: the caller's own, or anybody's for the operator. */
    public Run find(String text, Caller caller) {
        return new Naming(rooms).find(text, caller);
    }

    /** What becomes of runs, as it happens. */
    public Watching watching() {
        return watching;
    }

    /** What keeps the home in order. */
    public Upkeep upkeep() {
        return new Upkeep(rooms, attempts, sending);
    }

    /** What is known of parent sessions, and what they are told. */
    public ParentSessions sessions() {
        return sessions;
    }

    /** Where the code of runs is. */
    public Code code() {
        return new Code(rooms);
    }

    /** What happened meanwhile. */
    public Reporting reporting() {
        return new Reporting(rooms);
    }

    /** What other tools have lost. */
    public Rescuing rescuing() {
        return new Rescuing(rooms, accepting);
    }

    /** What lets programs in. Making and revoking them is for a person to do: surfaces see to that. */
    public Tokens tokens() {
        return rooms.ledger().tokens();
    }

    /** The agents that can be asked for in {@code directory}. */
    public Agents agents(Path directory) {
        return Agents.in(directory, rooms.config(), projects);
    }

    /** How many runs may be live at once. */
    public Caps caps() {
        return rooms.config().caps();
    }

    /** The end of what the run has said, at most {@code most} bytes of it. */
    public String lastWords(Run run, int most) {
        return outputs.tail(run, most);
    }

    /** For anybody but the operator, somebody else's runs are not there. */
    public List<Run> list(Query query, Caller caller) {
        if (!caller.mayActFor(query.owner())) return List.of();
        return rooms.ledger().runs().list(query.of(caller.scope(query.owner())));
    }

    /** For who knows the id and answers to nobody but the operator. */
    public Optional<Run> run(RunId id) {
        return rooms.ledger().runs().find(id);
    }

    /** What an attempt left, where that is in the ledger. */
    public Optional<String> result(Run run, int attempt) {
        return rooms.ledger().runs().result(run.id(), attempt);
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

    public List<Attempt> attempts(Run run) {
        return rooms.ledger().runs().attempts(run.id());
    }

    public List<Event> events(Run run) {
        return rooms.ledger().runs().events(run.id());
    }

    public List<NoticeTrace> notices(Run run) {
        return rooms.ledger().notices().of(run.id());
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

    /** To be called once the end of this attempt was written out to its reader. Only the owner's reading counts. */
    public void wasRead(Run run, int attempt, Caller caller) {
        if (run.owner().equals(caller.owner())) rooms.ledger().notices().read(run.id(), attempt);
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

    /** Answers this question of its and no other: whoever has read another answers nothing. */
    public Run answer(Run run, String question, String text, Caller caller) {
        var open = run.latest().asked().map(asked -> asked.question().id());
        if (!open.equals(Optional.of(question))) {
            throw new Refused(
                    "question_closed", "That question is not open any more.", "Look at what the run does now.");
        }
        return send(run, text, caller);
    }

    /** Whether a message would reach the run as it is now. */
    public boolean listens(Run run) {
        return sending.reaches(run);
    }

    /** What the model's use of all attempts adds up to. */
    public Usage usage(Run run) {
        return rooms.ledger().runs().attempts(run.id()).stream()
                .map(Attempt::usage)
                .reduce(Usage.NONE, Usage::plus);
    }

    /** Adds a line to the run's timeline. */
    public void note(Run run, EventKind kind, String text) {
        rooms.ledger().note(run.id(), run.latest().n(), kind, text);
    }

    public List<Notice> inbox(Optional<Owner> owner, Caller caller) {
        if (!caller.mayActFor(owner)) return List.of();
        return rooms.ledger().notices().pending(caller.scope(owner));
    }

    public List<Long> acknowledge(List<Long> notices, Caller caller) {
        return rooms.ledger().notices().acknowledge(notices, caller.scope());
    }

    /** What goes out by the channels of {@link Config}. */
    public Deliveries deliveries() {
        return rooms.ledger().deliveries();
    }

    /** Called, quickly, after each commit that wrote a notice. */
    public void onNotice(Runnable listener) {
        rooms.ledger().listeners().onNotice(_ -> listener.run());
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

    /** Looks at every live attempt at once; every two seconds this is done for those to whom something may have happened. */
    public void sweep() {
        attempts.sweep();
    }

    /** Lets go of everything and leaves the agents running. */
    @Override
    public void close() {
        waking.close();
        watching.close();
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
