package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Clock;
import dev.roost.run.EventKind;
import dev.roost.run.Refused;
import dev.roost.supervisor.Home;
import dev.roost.worktrees.Landing;
import dev.roost.worktrees.Origin;
import dev.roost.worktrees.Worktree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Takes worktrees away once their runs are over, and brings them back. */
record Clearing(Keeping keeping, Holds holds, Home home, Clock clock, Ledger ledger, Peers peers) {

    /** Brings the worktree back where it was, or all that a checkpoint holds to another place. */
    Path restore(Run run, Optional<Path> to, Optional<Integer> checkpoint) {
        if (run.work().isEmpty()) {
            throw new Refused(
                    "no_worktree",
                    "%s had no worktree of its own, so none of its work was kept apart.".formatted(run.title()),
                    "It worked in %s.".formatted(run.cwd()));
        }
        var worktree = Keeping.worktree(run);
        try (var _ = holds.hold(run.id())) {
            if (to.isEmpty() && checkpoint.isEmpty() && keeping.git(run).isIntact(worktree)) return worktree.path();
            var place = keeping.git(run)
                    .restore(
                            worktree,
                            to.map(Path::toAbsolutePath).orElse(worktree.path()),
                            home.kept(run.id()),
                            checkpoint);
            if (to.isEmpty()) ledger.works().made(run.id());
            ledger.note(run.id(), run.latest().n(), EventKind.RESTORED, "to " + place);
            return place;
        }
    }

    /** Takes the worktree away; what is in it is kept first. */
    void remove(Run run) {
        if (!keeping.isHere(run)) throw elsewhere(run);
        try (var _ = holds.hold(run.id())) {
            if (ledger.runs()
                    .find(run.id())
                    .filter(now -> !now.status().ended())
                    .isPresent())
                throw new Refused(
                        "run_is_live",
                        "%s goes on, so its worktree stays.".formatted(run.title()),
                        "Try again when it has ended.");
            var removed = keeping.git(run).remove(Keeping.worktree(run), home.kept(run.id()), clock.now());
            removed.checkpoint().ifPresent(checkpoint -> keeping.kept(run, checkpoint));
            ledger.works().removed(run.id());
            ledger.note(
                    run.id(),
                    run.latest().n(),
                    EventKind.WORKTREE,
                    "removed; `roost restore %s` brings it back".formatted(run.id()));
        }
    }

    /** Takes away what this node has of a worktree that another one has by now; what is in it is kept here first. */
    void removeCopy(Run run) throws IOException {
        var path = home.worktree(run.id());
        if (run.work().isEmpty() || keeping.isHere(run) || !Files.isDirectory(path)) return;
        try (var _ = holds.hold(run.id())) {
            var origin = Origin.of(path);
            if (!origin.top().equals(path.toRealPath())) return; // some other repository around the home
            var place = run.work().get().place();
            var worktree = new Worktree(run.id(), path, origin.common(), place.base(), place.target());
            var kept = keeping.git(run)
                    .remove(worktree, home.kept(run.id()), clock.now())
                    .checkpoint();
            ledger.note(
                    run.id(),
                    run.latest().n(),
                    EventKind.WORKTREE,
                    "removed on %s%s"
                            .formatted(
                                    peers.self(),
                                    kept.map(one -> "; what was in it is kept there as " + one.ref())
                                            .orElse("")));
        }
    }

    private Refused elsewhere(Run run) {
        return new Refused(
                "on_another_node",
                "The worktree of %s is on %s."
                        .formatted(run.title(), run.holder().orElse("another node")),
                "Do that there.");
    }

    /** Lets go of refs and branch of a run whose worktree is gone and whose code is merged; false if it is not. */
    boolean forget(Run run) {
        try (var _ = holds.hold(run.id())) {
            return run.work().flatMap(Work::madeAt).isEmpty()
                    || keeping.git(run).forget(Keeping.worktree(run));
        }
    }

    boolean couldForget(Run run) {
        if (run.work().flatMap(Work::madeAt).isEmpty()) return true;
        var landing = keeping.git(run).look(Keeping.worktree(run), Landing.Reach.LOCAL);
        boolean done = landing.stage() == Landing.Stage.MERGED || landing.stage() == Landing.Stage.NOTHING;
        return done && landing.isClean();
    }
}
