package dev.roost.attempt;

import dev.roost.agents.AgentState;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.RunEvent;
import dev.roost.node.AttemptControl;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;

/** Ends the attempt of a lost node and prepares the next attempt if the run may resume. */
final class LostNodeTakeover {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptControl.LostNode loss;
    private final AttemptHistoryReader history;

    LostNodeTakeover(RuntimeContext context, RunRecord run, AttemptControl.LostNode loss) {
        this.context = context;
        this.run = run;
        this.loss = loss;
        this.history = new AttemptHistoryReader(context, run);
    }

    /** Ends the attempt; false if its node returned in time or another node took it over first. */
    boolean end(Predicate<AttemptEnd> finish) throws IOException {
        context.home().run(run.id()).create();
        context.output().fetch(run);
        var bound = loss.unstarted() ? Optional.<String>empty() : whyBoundToNode();
        boolean again = loss.unstarted() || (history.mayResume() && bound.isEmpty());
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
        context.orders().discard(run.id(), run.latest().n() + 1);
        return won;
    }

    /** The progress by the output that was copied here: the rest of the output is lost. */
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

    /** Why the run can resume only on its lost node; empty if another node can resume it. */
    private Optional<String> whyBoundToNode() throws IOException {
        var first = context.orders().get(run.id(), 1);
        if (!history.mayResume() || first.isEmpty()) return Optional.empty(); // it does not resume at all
        var session = run.latest().progress().sessionId().or(run::sessionId);
        var bound = AttemptPreparation.whyBoundToNode(context, run, first.get(), session);
        if (bound.isPresent()) return bound;
        var next = first.get().next(first.get().task(), Optional.empty(), Optional.empty());
        if (!context.placement().canRunWithout(loss.node(), next, false))
            return Optional.of("no other node has what it needs");
        return Optional.empty();
    }

    private Evidence evidence(Optional<String> bound, boolean again) {
        if (loss.unstarted())
            return Evidence.none().withNote("its node %s was lost before it began".formatted(loss.node()));
        var note = new StringBuilder(
                "its node %s was last heard of at %s; what its agent did elsewhere after that may have been done twice"
                        .formatted(loss.node(), loss.heard()));
        bound.ifPresent(
                why -> note.append("; it could not continue on another node: ").append(why));
        if (!again && context.output().uploaded(run.id()).contains(SharedFileName.WORK))
            note.append("; restore its last uploaded files: roost restore ").append(run.id());
        return Evidence.none().withNote(note.toString());
    }
}
