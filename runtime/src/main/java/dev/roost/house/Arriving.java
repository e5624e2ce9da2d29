package dev.roost.house;

import dev.roost.agents.Environment;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.BadInput;
import dev.roost.run.Cause;
import dev.roost.run.EventKind;
import dev.roost.run.Refused;
import dev.roost.run.Words;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.worktrees.Checkpoint;
import dev.roost.worktrees.Origin;
import dev.roost.worktrees.Worktree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Makes a run at home on the node that begins an attempt of it: finds its place here, and brings what it took along. */
record Arriving(Rooms rooms) {

    /** What the ledger says of the run once it is; an attempt that is prepared has arrived. */
    Run arrive(Run run) throws IOException {
        int n = run.latest().n();
        var directory = rooms.home().run(run.id());
        if (!rooms.peers().any() || directory.attempt(n).isPrepared()) return run;
        directory.create();
        if (n > 1) rooms.peers().fetch(run); // what it says is added to what was said before
        var wish = rooms.peers()
                .ordered(run.id(), n)
                .orElseThrow(() -> new IOException("nothing says what attempt %d is to do".formatted(n)));
        var environment = environment(wish);
        var here = run.holder().equals(Optional.of(rooms.peers().self())) ? run : settle(run, wish, environment);
        Jobs.prepareOrdered(rooms, here, wish, environment);
        return here;
    }

    /** What is a machine's own is this one's, where it was asked for on another. */
    private Map<String, String> environment(Wish wish) {
        if (wish.from().equals(rooms.peers().self())) return wish.environment();
        return Environment.elsewhere(wish.environment(), rooms.peers().machine());
    }

    /** The node that has its files, if that is another one. */
    private Optional<String> from(Run run) {
        return run.holder().filter(node -> !node.equals(rooms.peers().self()));
    }

    /** Whether this attempt is the first on this node that begins: one before it may have come here and been lost at once. */
    private boolean hasMoved(Run run) {
        int n = run.latest().n();
        if (!rooms.peers().any() || n == 1) return false;
        int moved = rooms.ledger().runs().events(run.id()).stream()
                .filter(event -> EventKind.MOVED.is(event.kind()))
                .mapToInt(event -> event.attempt())
                .max()
                .orElse(0);
        return moved > 0
                && rooms.ledger().runs().attempts(run.id()).stream()
                        .noneMatch(attempt -> attempt.n() >= moved
                                && attempt.n() < n
                                && attempt.began().isPresent());
    }

    private record Ground(Path cwd, Optional<Work.Place> place) {}

    private Run settle(Run run, Wish wish, Map<String, String> environment) throws IOException {
        int n = run.latest().n();
        var ground = wish.worktree() ? worktree(run, wish, environment) : new Ground(directory(wish), Optional.empty());
        Optional<Checkpoint> brought =
                n > 1 && ground.place().isPresent() ? work(run, ground.place().get(), environment) : Optional.empty();
        from(run)
                .ifPresent(node -> rooms.ledger()
                        .note(
                                run.id(),
                                n,
                                EventKind.MOVED,
                                "from %s to %s".formatted(node, rooms.peers().self())));
        if (!rooms.ledger().works().moved(run.id(), n, ground.cwd(), ground.place()))
            throw new IOException("attempt %d of %s is not ours any more".formatted(n, run.id()));
        brought.ifPresent(checkpoint -> {
            rooms.ledger()
                    .works()
                    .checkpointed(
                            run.id(),
                            checkpoint.n(),
                            checkpoint.ref(),
                            checkpoint.leftOut().size());
            rooms.ledger()
                    .note(
                            run.id(),
                            n,
                            EventKind.WORKTREE,
                            "its work came along from %s as %s"
                                    .formatted(from(run).orElse("another node"), checkpoint.ref()));
        });
        return rooms.ledger().runs().find(run.id()).orElse(run);
    }

    /** Where a run without a worktree works here. */
    private Path directory(Wish wish) {
        var directory = checkout(wish)
                .map(top -> top.resolve(wish.source().map(Wish.Source::inside).orElse("")))
                .orElse(wish.cwd())
                .normalize();
        if (Files.isDirectory(directory)) return directory;
        throw new BadInput(
                "no_such_directory",
                "There is no directory \"%s\" on %s."
                        .formatted(
                                Words.printable(directory.toString()),
                                rooms.peers().self()),
                "Make it there, or start the run in another one.");
    }

    /** This node's own checkout of the repository that it was asked for in; none if it is the very directory. */
    private Optional<Path> checkout(Wish wish) {
        boolean asked = wish.from().equals(rooms.peers().self()) && Files.isDirectory(wish.cwd());
        if (asked) return Optional.empty();
        return wish.source().flatMap(source -> rooms.peers().checkout(source.key()));
    }

    /** Where its worktree is to be here, and what it comes from. */
    private Ground worktree(Run run, Wish wish, Map<String, String> environment) {
        var origin = Origin.of(checkout(wish).orElse(wish.cwd()));
        var inside = wish.source().map(source -> Path.of(source.inside())).orElse(origin.inside());
        var known = run.work().map(Work::place);
        var base = known.map(Work.Place::base).or(() -> wish.source().map(Wish.Source::base));
        // what it has beyond what others have came along with its work
        if (base.isPresent() && known.isEmpty())
            rooms.keeping().git(environment).obtain(origin.common(), base.get());
        if (base.isEmpty())
            rooms.ledger()
                    .note(
                            run.id(),
                            run.latest().n(),
                            EventKind.WORKTREE,
                            "it begins at %s, where the checkout %s on %s is"
                                    .formatted(
                                            origin.base(),
                                            origin.top(),
                                            rooms.peers().self()));
        var path = rooms.home().worktree(run.id());
        var place = new Work.Place(
                path,
                origin.common(),
                base.orElse(origin.base()),
                known.flatMap(Work.Place::target)
                        .or(() ->
                                wish.source().isPresent() ? wish.source().get().branch() : origin.branch()),
                origin.top().resolve(inside));
        return new Ground(path.resolve(inside), Optional.of(place));
    }

    private Optional<Checkpoint> work(Run run, Work.Place place, Map<String, String> environment) throws IOException {
        var worktree = new Worktree(run.id(), place.path(), place.common(), place.base(), place.target());
        var git = rooms.keeping().git(environment);
        var stream = rooms.peers().unload(run.id(), ShelfName.WORK);
        if (stream.isEmpty()) {
            git.obtain(place.common(), place.base());
            return Optional.empty();
        }
        var luggages = rooms.porter().luggages(git);
        try (var in = stream.get();
                var luggage = luggages.read(in)) {
            return luggages.unpackWork(
                    luggage,
                    worktree,
                    rooms.home().kept(run.id()),
                    rooms.clock().now());
        }
    }

    /** Puts the conversation where the agent finds it; to be done once its directory is there, before it is started. */
    void converse(Run run, AttemptDirectory attempt) throws IOException {
        if (!Porter.knows(run) || !hasMoved(run)) return;
        var session = attempt.spec().session();
        if (session.isEmpty()) return; // it begins anew
        var stream = rooms.peers()
                .unload(run.id(), ShelfName.CONVERSATION)
                .orElseThrow(() -> new Refused(
                        "no_conversation",
                        "The conversation of %s did not come along from the node where it was.".formatted(run.title()),
                        "Start another run; its files were brought here."));
        var luggages = rooms.porter().luggages(rooms.keeping().git(run));
        try (var in = stream;
                var luggage = luggages.read(in)) {
            var came = luggages.unpackConversation(luggage, Porter.seat(run, attempt));
            if (!came.equals(session))
                throw new Refused(
                        "no_conversation",
                        "The conversation %s of %s did not come along, but %s did."
                                .formatted(session.get(), run.title(), came.orElse("none")),
                        "Start another run; its files were brought here.");
        }
    }

    /** What its readers are told when it goes on after its node was lost. */
    Optional<String> remark(Run run) {
        int n = run.latest().n();
        if (!rooms.peers().any() || n < 2) return Optional.empty();
        return rooms.ledger()
                .runs()
                .attempts(run.id())
                .get(n - 2)
                .cause()
                .filter(Cause.WORKER_LOST::equals)
                .map(cause -> "interrupted: %s; resumed on %s"
                        .formatted(cause.inWords(), rooms.peers().self()));
    }
}
