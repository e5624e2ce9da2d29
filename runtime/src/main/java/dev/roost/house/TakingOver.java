package dev.roost.house;

import dev.roost.agents.Heard;
import dev.roost.ledger.End;
import dev.roost.ledger.Position;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.RunEvent;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;

/** Ends the attempt of a node that is gone, and sees to its successor if it may have one. */
final class TakingOver {

    private final Rooms rooms;
    private final Run run;
    private final Led.Loss loss;

    TakingOver(Rooms rooms, Run run, Led.Loss loss) {
        this.rooms = rooms;
        this.run = run;
        this.loss = loss;
    }

    /** False if its node was back in time, or another one was before us. */
    boolean end(Predicate<End> finish) throws IOException {
        rooms.home().run(run.id()).create();
        rooms.peers().fetch(run);
        var bound = loss.unstarted() ? Optional.<String>empty() : boundToItsNode();
        boolean again = loss.unstarted() || (Losses.mayResume(rooms, run) && bound.isEmpty());
        var how = new RunEvent.Lost(Cause.WORKER_LOST, again);
        var progress = progress();
        if (again) {
            if (loss.unstarted()) Jobs.orderAgain(rooms, run);
            else Jobs.prepareNext(rooms, run, progress, Interruption.prompt(how, Heard.NOTHING, run));
        }
        boolean won = finish.test(new End(how, rooms.clock().now(), evidence(bound, again), Result.none(), progress));
        rooms.peers().dropped(run.id(), run.latest().n() + 1);
        return won;
    }

    /** What came here of its output is all there will be of it. */
    private Progress progress() throws IOException {
        var directory = rooms.home().run(run.id());
        var known = run.latest().progress();
        return new Progress(
                new Position(0, PrivateFiles.size(directory.output()), PrivateFiles.size(directory.transcript())),
                known.usage(),
                known.active(),
                known.waited(),
                known.sessionId());
    }

    /** Why it can go on only where it was, if that is so. */
    private Optional<String> boundToItsNode() {
        var first = rooms.peers().ordered(run.id(), 1);
        if (!Losses.mayResume(rooms, run) || first.isEmpty()) return Optional.empty(); // it goes on nowhere
        var kept = rooms.peers().stowed(run.id());
        boolean talks = run.latest().progress().sessionId().or(run::sessionId).isPresent();
        if (talks && !kept.contains(ShelfName.CONVERSATION))
            return Optional.of(
                    Porter.knows(run)
                            ? "its conversation was not kept anywhere else yet"
                            : "conversations of %s cannot be moved".formatted(run.agent()));
        if (run.work().flatMap(Work::rescue).isPresent() && !kept.contains(ShelfName.WORK))
            return Optional.of("its work was not kept anywhere else yet");
        if (!first.get().worktree() && first.get().source().isPresent())
            return Optional.of("it had no worktree, so its work is in a checkout there");
        var next = first.get().next(first.get().task(), Optional.empty(), Optional.empty());
        if (!rooms.peers().couldDoWithout(loss.node(), next)) return Optional.of("no other node has what it needs");
        return Optional.empty();
    }

    private Evidence evidence(Optional<String> bound, boolean again) {
        if (loss.unstarted())
            return Evidence.none().withNote("its node %s was lost before it began it".formatted(loss.node()));
        var note = new StringBuilder(
                "its node %s was last heard of at %s; what it did outside after that may have been done twice"
                        .formatted(loss.node(), loss.heard()));
        bound.ifPresent(why -> note.append("; it could not go on elsewhere: ").append(why));
        if (!again && rooms.peers().stowed(run.id()).contains(ShelfName.WORK))
            note.append("; its files as last kept: roost restore ").append(run.id());
        return Evidence.none().withNote(note.toString());
    }
}
