package dev.roost;

import dev.roost.agents.Drivers;
import dev.roost.agents.Heard;
import dev.roost.ledger.End;
import dev.roost.ledger.Position;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.Cause;
import dev.roost.run.Evidence;
import dev.roost.run.RunEvent;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
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
        rooms.peers().fetch(run.id());
        boolean again = loss.unstarted() || mayResume();
        var how = new RunEvent.Lost(Cause.WORKER_LOST, again);
        var progress = progress();
        if (again) {
            if (loss.unstarted()) Jobs.orderAgain(rooms, run);
            else Jobs.prepareNext(rooms, run, progress, Interruption.prompt(how, Heard.NOTHING, run));
        }
        return finish.test(new End(how, rooms.clock().now(), evidence(), Result.none(), progress));
    }

    private boolean mayResume() {
        return run.resumeOnLoss()
                && Drivers.of(run.driver()).abilities().resume()
                && Jobs.canPrepareNext(rooms, run)
                && Losses.of(rooms, run) + 1 < rooms.config().maxAttempts();
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

    private Evidence evidence() {
        return Evidence.none()
                .withNote(
                        loss.unstarted()
                                ? "its node %s was lost before it began it".formatted(loss.node())
                                : "its node %s was last heard of at %s; what it did outside after that may have been done twice"
                                        .formatted(loss.node(), loss.heard()));
    }
}
