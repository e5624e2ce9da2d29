package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Broken;
import dev.roost.run.EventKind;
import dev.roost.run.Refused;
import dev.roost.shelf.ShelfName;
import dev.roost.worktrees.Origin;
import dev.roost.worktrees.Worktree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Brings a run's kept work back; on a node that never had it, from where it was put for others. */
record Restoring(Rooms rooms) {

    Path restore(Run run, Optional<Path> to, Optional<Integer> checkpoint) {
        if (run.work().isEmpty() || rooms.keeping().isHere(run))
            return rooms.keeping().clearing().restore(run, to, checkpoint);
        var holder = run.holder().orElse("another node");
        if (!run.status().ended())
            throw new Refused(
                    "run_is_live",
                    "%s goes on, and its worktree is on %s.".formatted(run.title(), holder),
                    "Wait for its end, or restore on that node.");
        if (checkpoint.isPresent())
            throw new Refused(
                    "on_another_node",
                    "Earlier checkpoints of %s are on %s; the latest alone was put where others find it."
                            .formatted(run.title(), holder),
                    "Restore without a number, or do it there.");
        try {
            return bring(run, holder, to);
        } catch (IOException e) {
            throw new Broken(
                    "luggage_files",
                    "The work of %s could not be brought here: %s.".formatted(run.title(), e),
                    "Try again.");
        }
    }

    private Path bring(Run run, String holder, Optional<Path> to) throws IOException {
        var stream = rooms.peers()
                .unload(run.id(), ShelfName.WORK)
                .orElseThrow(() -> new Refused(
                        "no_checkpoint",
                        "The worktree of %s is on %s, and nothing of it was put where others find it."
                                .formatted(run.title(), holder),
                        "Restore it on that node."));
        var worktree = here(run, holder, stream);
        var git = rooms.keeping().git(run);
        var luggages = rooms.porter().luggages(git);
        try (var in = stream;
                var luggage = luggages.read(in)) {
            var kept = rooms.home().kept(run.id());
            luggages.unpackWork(luggage, worktree, kept, rooms.clock().now());
            var place =
                    git.restore(worktree, to.map(Path::toAbsolutePath).orElse(worktree.path()), kept, Optional.empty());
            rooms.ledger()
                    .note(
                            run.id(),
                            run.latest().n(),
                            EventKind.RESTORED,
                            "to %s on %s".formatted(place, rooms.peers().self()));
            return place;
        }
    }

    /** As it would be in this node's own clone of its repository. */
    private Worktree here(Run run, String holder, InputStream stream) throws IOException {
        var place = run.work().map(Work::place).orElseThrow();
        var wish = rooms.peers().ordered(run.id(), 1);
        var checkout = wish.flatMap(Wish::source)
                .flatMap(source -> rooms.peers().checkout(source.key()))
                .or(() -> wish.map(Wish::cwd).filter(Files::isDirectory)); // as where it was begun
        if (checkout.isEmpty()) {
            stream.close();
            throw new Refused(
                    "no_checkout",
                    "The work of %s was on %s, and %s has no checkout of its repository to bring it into."
                            .formatted(run.title(), holder, rooms.peers().self()),
                    "Clone it here, name the clone in [node] directories, and start the daemon again.");
        }
        var common = Origin.of(checkout.get()).common();
        return new Worktree(run.id(), rooms.home().worktree(run.id()), common, place.base(), place.target());
    }
}
