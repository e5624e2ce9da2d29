package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Job;
import dev.roost.agents.Launch;
import dev.roost.agents.Profile;
import dev.roost.agents.Task;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Run;
import dev.roost.run.Faults;
import dev.roost.run.Usage;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.Spec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** From a run to what its attempts are given. */
final class Jobs {

    private Jobs() {}

    /** Writes down what an attempt is to do; what its directory held of an attempt that was never queued is replaced. */
    static void prepare(Rooms rooms, AttemptDirectory directory, Job job, Map<String, String> environment, String umask)
            throws IOException {
        var launch = Drivers.of(job.profile().driver()).launch(job);
        var variables = new TreeMap<>(environment);
        variables.putAll(launch.environment());
        variables.putAll(job.profile().environment());
        var input = switch (launch.input()) {
            case Launch.Input.Nothing _ -> Spec.Input.NOTHING;
            case Launch.Input.Text _ -> Spec.Input.FILE;
            case Launch.Input.Pipe _ -> Spec.Input.PIPE;
        };
        var text = switch (launch.input()) {
            case Launch.Input.Nothing _ -> "";
            case Launch.Input.Text(var all) -> all;
            case Launch.Input.Pipe(var first) -> first;
        };
        var argv = new ArrayList<String>(job.profile().launcher());
        if (job.inWorktree()) argv.addAll(directory.setup().words());
        argv.addAll(launch.argv());
        var spec = new Spec(argv, job.cwd(), umask, input, job.session());
        rooms.faults().before(Faults.Step.SPEC);
        directory.create(spec, variables, job.task().prompt(), text);
        rooms.faults().after(Faults.Step.SPEC);
    }

    /** Makes this home's own files of what was ordered, perhaps on another node. */
    static void prepareOrdered(Rooms rooms, Run run, Wish wish, Map<String, String> environment) throws IOException {
        var attempt = rooms.home().run(run.id()).attempt(run.latest().n());
        var job = new Job(
                Profile.read(run.profile()),
                wish.task(),
                run.cwd(),
                attempt.prompt(),
                run.budget(),
                wish.session(),
                usedBefore(rooms, run),
                run.work().isPresent());
        prepare(rooms, attempt, job, environment, wish.umask());
    }

    /** The same again for the attempt after one that never began. */
    static void orderAgain(Rooms rooms, Run run) {
        int n = run.latest().n();
        rooms.peers().ordered(run.id(), n).ifPresent(wish -> rooms.peers().order(run.id(), n + 1, wish));
    }

    /** What the attempt in {@code directory} was given; where somebody has removed that, as far as the ledger knows. */
    static Job of(Rooms rooms, Run run, AttemptDirectory directory) throws IOException {
        return new Job(
                Profile.read(run.profile()),
                new Task(List.of(), directory.promptText().or(() -> Optional.of(run.description()))),
                run.cwd(),
                directory.prompt(),
                run.budget(),
                directory.isPrepared() ? directory.spec().session() : run.sessionId(),
                usedBefore(rooms, run),
                run.work().isPresent());
    }

    /** Whether there can be another attempt: its agent can resume, and it is given what the first one was. */
    static boolean canGoOn(Rooms rooms, Run run) {
        if (!Drivers.of(run.driver()).abilities().resume()) return false;
        if (rooms.peers().any()) return rooms.peers().ordered(run.id(), 1).isPresent();
        return rooms.home().run(run.id()).attempt(1).isPrepared();
    }

    /** Prepares the attempt after the latest, with {@code prompt}: in its own conversation if there is one. */
    static void prepareNext(Rooms rooms, Run run, Progress soFar, String prompt) throws IOException {
        var session = soFar.sessionId().or(run::sessionId);
        if (rooms.peers().any()) {
            orderNext(rooms, run, session, prompt);
            return;
        }
        var first = rooms.home().run(run.id()).attempt(1);
        var next = rooms.home().run(run.id()).attempt(run.latest().n() + 1);
        var text = session.isPresent() ? prompt : first.promptText().orElse(prompt);
        var job = new Job(
                Profile.read(run.profile()),
                new Task(List.of(), Optional.of(text)),
                run.cwd(),
                next.prompt(),
                run.budget(),
                session,
                usedBefore(rooms, run).plus(soFar.usage()),
                run.work().isPresent());
        prepare(rooms, next, job, first.environment(), first.spec().umask());
    }

    private static void orderNext(Rooms rooms, Run run, Optional<String> session, String prompt) throws IOException {
        var first = rooms.peers()
                .ordered(run.id(), 1)
                .orElseThrow(() -> new IOException("nothing says what %s was to do".formatted(run.id())));
        var words = session.isPresent() ? new Task(List.of(), Optional.of(prompt)) : first.task();
        rooms.peers()
                .order(run.id(), run.latest().n() + 1, first.next(words, session, boundTo(rooms, run, first, session)));
    }

    /** Whether all that its next attempt goes on with is where another node finds it, as of now. */
    static boolean canLeave(Rooms rooms, Run run, Optional<String> session) {
        return rooms.peers()
                .ordered(run.id(), 1)
                .filter(first -> boundTo(rooms, run, first, session).isEmpty())
                .isPresent();
    }

    /** The node that alone has what the next attempt goes on with: files of no worktree, a conversation that did not travel. */
    private static Optional<String> boundTo(Rooms rooms, Run run, Wish first, Optional<String> session) {
        boolean files = !first.worktree() && first.source().isPresent();
        boolean words = session.isPresent() && !rooms.peers().stowed(run.id()).contains(ShelfName.CONVERSATION);
        return files || words ? run.holder() : Optional.empty();
    }

    /** What the attempts before the latest used. */
    private static Usage usedBefore(Rooms rooms, Run run) {
        var sum = Usage.NONE;
        for (var attempt : rooms.ledger().runs().attempts(run.id())) {
            if (attempt.n() < run.latest().n()) sum = sum.plus(attempt.usage());
        }
        return sum;
    }
}
