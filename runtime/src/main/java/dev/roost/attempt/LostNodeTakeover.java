package dev.roost.attempt;

import dev.roost.agents.AgentState;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.RunEvent;
import dev.roost.node.AttemptControl;
import dev.roost.sharedfiles.SharedFileName;
import dev.roost.worktrees.TransferUploader;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;

/** Ends the attempt of a node that is gone, and sees to its successor if it may have one. */
final class LostNodeTakeover {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptControl.LostNode loss;

    LostNodeTakeover(RuntimeContext context, RunRecord run, AttemptControl.LostNode loss) {
        this.context = context;
        this.run = run;
        this.loss = loss;
    }

    /** False if its node was back in time, or another one was before us. */
    boolean end(Predicate<AttemptEnd> finish) throws IOException {
        context.home().run(run.id()).create();
        context.cluster().fetch(run);
        var bound = loss.unstarted() ? Optional.<String>empty() : whyBoundToNode();
        boolean again = loss.unstarted() || (LossPolicy.mayResume(context, run) && bound.isEmpty());
        var how = new RunEvent.Lost(Cause.WORKER_LOST, again);
        var progress = progress();
        if (again) {
            if (loss.unstarted()) AttemptPreparation.repeatOrder(context, run);
            else
                AttemptPreparation.prepareNext(
                        context, run, progress, ResumePrompt.prompt(how, AgentState.NOTHING, run));
        }
        boolean won = finish.test(
                new AttemptEnd(how, context.clock().now(), evidence(bound, again), AttemptResult.none(), progress));
        context.cluster().discardOrder(run.id(), run.latest().n() + 1);
        return won;
    }

    /** What came here of its output is all there will be of it. */
    private AttemptProgress progress() throws IOException {
        var directory = context.home().run(run.id());
        var known = run.latest().progress();
        return new AttemptProgress(
                new StreamPosition(0, PrivateFiles.size(directory.output()), PrivateFiles.size(directory.transcript())),
                known.usage(),
                known.active(),
                known.waited(),
                known.sessionId());
    }

    /** Why it can go on only where it was, if that is so. */
    private Optional<String> whyBoundToNode() {
        var first = context.cluster().getOrder(run.id(), 1);
        if (!LossPolicy.mayResume(context, run) || first.isEmpty()) return Optional.empty(); // it goes on nowhere
        var kept = context.cluster().uploaded(run.id());
        boolean talks = run.latest().progress().sessionId().or(run::sessionId).isPresent();
        if (talks && !kept.contains(SharedFileName.CONVERSATION))
            return Optional.of(
                    TransferUploader.canMoveConversation(run)
                            ? "its conversation was not kept anywhere else yet"
                            : "conversations of %s cannot be moved".formatted(run.agent()));
        if (run.work().flatMap(WorktreeRecord::rescue).isPresent() && !kept.contains(SharedFileName.WORK))
            return Optional.of("its work was not kept anywhere else yet");
        if (!first.get().worktree() && first.get().source().isPresent())
            return Optional.of("it had no worktree, so its work is in a checkout there");
        var next = first.get().next(first.get().task(), Optional.empty(), Optional.empty());
        if (!context.cluster().canRunWithout(loss.node(), next)) return Optional.of("no other node has what it needs");
        return Optional.empty();
    }

    private Evidence evidence(Optional<String> bound, boolean again) {
        if (loss.unstarted())
            return Evidence.none().withNote("its node %s was lost before it began it".formatted(loss.node()));
        var note = new StringBuilder(
                "its node %s was last heard of at %s; what it did outside after that may have been done twice"
                        .formatted(loss.node(), loss.heard()));
        bound.ifPresent(why -> note.append("; it could not go on elsewhere: ").append(why));
        if (!again && context.cluster().uploaded(run.id()).contains(SharedFileName.WORK))
            note.append("; its files as last kept: roost restore ").append(run.id());
        return Evidence.none().withNote(note.toString());
    }
}
