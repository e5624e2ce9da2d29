package dev.roost.house;

import dev.roost.agents.Environment;
import dev.roost.agents.Job;
import dev.roost.agents.Profile;
import dev.roost.agents.Task;
import dev.roost.ledger.NewRun;
import dev.roost.ledger.Past;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.rescue.Lost;
import dev.roost.rescue.Places;
import dev.roost.rescue.Search;
import dev.roost.run.Budget;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Usage;
import dev.roost.supervisor.RunDirectory;
import dev.roost.supervisor.SavedFile;
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

/** Makes a run of what another tool lost: ended, read, and with all that is left of it to read. */
public final class Rescuing {

    private static final System.Logger LOG = System.getLogger(Rescuing.class.getName());

    private static final String FOUND = "found by roost rescue: ";
    private static final Path ROOT = Path.of("/");

    private final Rooms rooms;
    private final Accepting accepting;

    Rescuing(Rooms rooms, Accepting accepting) {
        this.rooms = rooms;
        this.accepting = accepting;
    }

    /** The run that this was brought in as. */
    public Optional<Run> known(Lost lost) {
        return rooms.ledger().runs().startedBy(callKey(lost));
    }

    /** What other tools lost since then, as far as it can be seen from outside. */
    public Search.Found search(Places places, List<Path> repositories, Duration since) {
        var now = rooms.clock().now();
        var found = new Search(places, repositories, now.minus(since)).look(now);
        return found.without(this::isOurs);
    }

    /** Keeps what is uncommitted in a worktree of another tool's: by {@code run}, or else by an id of its own; the ref. */
    public String keepStray(Path worktree, Optional<RunId> run) {
        return rooms.keeping().keepStray(worktree, run.orElseGet(() -> RunId.ofPlace(worktree.toString())));
    }

    static String callKey(Lost lost) {
        return "rescue:%s:%s:%s".formatted(word(lost.tool()), lost.id(), lost.key());
    }

    /** The conversation of a run that we have run ourselves: what became of it, the ledger knows better. */
    boolean isOurs(Lost lost) {
        return lost.session().stream()
                .flatMap(session -> rooms.ledger().runs().named(session, Optional.empty()).stream()
                        .filter(run -> run.sessionId().equals(Optional.of(session))))
                .anyMatch(run -> run.latest().n() > 1 || !broughtIn(run));
    }

    private static boolean broughtIn(Run run) {
        return run.latest()
                .evidence()
                .flatMap(Evidence::note)
                .filter(note -> note.startsWith(FOUND))
                .isPresent();
    }

    static String word(Lost.Tool tool) {
        return tool.name().toLowerCase(Locale.ROOT);
    }

    /** Makes a run of it, once. For the operator: its owner is somebody else. */
    public Run bringIn(Lost lost, Map<String, String> environment) {
        var known = known(lost);
        if (known.isPresent()) return known.get();
        if (lost.state() == Lost.State.AT_WORK) throw new IllegalArgumentException(lost.id() + " is not lost");
        var id = RunId.create(rooms.clock().now());
        var directory = rooms.home().run(id);
        var run = accepting.accept(id, () -> {
            prepare(id, lost, directory, environment);
            say(lost, directory);
            return rooms.ledger().bringIn(asRun(lost, id), asPast(lost, Files.size(directory.output())));
        });
        accepting.attempts().seal(run.id());
        return rooms.ledger().runs().find(run.id()).orElseThrow();
    }

    /** A command has no driver of the tool's, and no conversation to go on with. */
    private static Profile profile(Lost lost) {
        return Profile.plain(lost.kind() == Lost.Kind.SHELL ? "command" : word(lost.tool()));
    }

    private static Path cwd(Lost lost) {
        return lost.cwd().orElse(ROOT);
    }

    /** What a message to it will need: its next attempt is given what the first one was. */
    private void prepare(RunId id, Lost lost, RunDirectory directory, Map<String, String> environment)
            throws IOException {
        if (lost.session().isEmpty()) return;
        var job = new Job(
                profile(lost),
                new Task(List.of(), Optional.of(lost.title().isBlank() ? lost.id() : lost.title())),
                cwd(lost),
                directory.attempt(1).prompt(),
                budget(),
                Optional.empty(),
                Usage.NONE,
                false);
        var variables = Environment.filtered(environment);
        Jobs.prepare(rooms, directory.attempt(1), job, variables, "022");
        if (rooms.peers().any()) order(id, job, variables);
    }

    /** Its conversation and its files are on this node, and nowhere else. */
    private void order(RunId id, Job job, Map<String, String> variables) {
        var self = rooms.peers().self();
        try {
            rooms.peers()
                    .order(
                            id,
                            1,
                            new Wish(
                                    job.profile().name(),
                                    job.task(),
                                    job.cwd(),
                                    variables,
                                    "022",
                                    Optional.empty(),
                                    false,
                                    self,
                                    Set.of(),
                                    Optional.empty(),
                                    Optional.of(self)));
        } catch (Refused e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} cannot be continued here: {1}", id, e.sentence());
        }
    }

    private Budget budget() {
        return Budget.ofOutput(rooms.config().maxOutput());
    }

    private static void say(Lost lost, RunDirectory directory) throws IOException {
        if (bytes(lost) > Result.LEDGER_LIMIT) {
            Files.createDirectories(directory.attempt(1).path());
            directory.attempt(1).answer(lost.text());
        }
        try (var file = new SavedFile(directory.output(), 0)) {
            if (!lost.text().isBlank()) file.add(lost.text().strip() + "\n");
            if (lost.doing().isPresent()) file.add("\n→ " + lost.doing().get() + "\n");
            file.add("\n---\n" + note(lost) + "\n");
            file.flush();
        }
    }

    private NewRun asRun(Lost lost, RunId id) {
        var profile = profile(lost);
        return new NewRun(
                id,
                Optional.empty(),
                new Owner(word(lost.tool()) + ":" + lost.owner()),
                profile.name(),
                profile.driver(),
                profile.json(),
                lost.title(),
                cwd(lost),
                budget(),
                false,
                1,
                Optional.empty(),
                Notify.SILENT,
                Optional.of(callKey(lost)),
                Optional.empty());
    }

    private static String note(Lost lost) {
        return FOUND + "%s (%s)".formatted(lost.why(), lost.source());
    }

    private static Past asPast(Lost lost, long outputBytes) {
        var none = Evidence.none();
        var evidence = new Evidence(
                none.exit(),
                none.agent(),
                none.bootId(),
                Optional.of(lost.lastSign()),
                none.active(),
                none.slept(),
                none.stderrTail(),
                none.leftovers(),
                Optional.of(note(lost)));
        return new Past(
                lost.began(), lost.lastSign(), outcome(lost), evidence, result(lost), outputBytes, lost.session());
    }

    private static boolean finished(Lost lost) {
        return lost.state() == Lost.State.FINISHED;
    }

    private static Outcome outcome(Lost lost) {
        if (!finished(lost)) return new Outcome.Abandoned(Cause.PERCH_LOST);
        return lost.text().isBlank() ? new Outcome.CompletedEmpty() : new Outcome.Completed();
    }

    /** Its last words, if it was cut: they are all there is to read of it, and its status says what they are worth. */
    private static Result result(Lost lost) {
        if (lost.text().isBlank()) return Result.none();
        return bytes(lost) > Result.LEDGER_LIMIT
                ? new Result(Optional.empty(), bytes(lost))
                : new Result(Optional.of(lost.text()), bytes(lost));
    }

    private static long bytes(Lost lost) {
        return lost.text().getBytes(StandardCharsets.UTF_8).length;
    }
}
