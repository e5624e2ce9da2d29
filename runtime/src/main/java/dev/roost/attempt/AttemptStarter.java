package dev.roost.attempt;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import dev.roost.sharedfiles.SharedFileName;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Has an attempt at home here, and somebody to lead it. */
final class AttemptStarter {

    private static final System.Logger LOG = System.getLogger(AttemptStarter.class.getName());
    private static final int MOST_TRIES = 30;

    private final RuntimeContext context;
    private final Runnable slotIsFree;
    private final RunRelocation relocation;
    private final Map<String, Integer> tries = new ConcurrentHashMap<>();

    AttemptStarter(RuntimeContext context, Runnable slotIsFree) {
        this.context = context;
        this.slotIsFree = slotIsFree;
        this.relocation = new RunRelocation(context);
    }

    /** What cannot be at home here ends at once, and says why; what could not be found out yet is tried again. */
    @Nullable
    AttemptLoop start(RunRecord run, boolean fresh) throws IOException {
        RunRecord here;
        try {
            here = relocation.relocate(run);
            tries.remove(label(run));
        } catch (BadInput | Refusal e) {
            return AttemptLoop.refuse(context, run, e);
        } catch (IOException | RuntimeException e) {
            if (AttemptLoop.isRetryable(e) || tries.merge(label(run), 1, Integer::sum) < MOST_TRIES) throw e;
            abandonStart(run, e);
            return null;
        }
        return fresh ? AttemptLoop.begin(context, here) : AttemptLoop.reattach(context, here);
    }

    /** Nothing of the run is at fault, and what there is of it stays where it is. Without files of its own, which may be the trouble. */
    private void abandonStart(RunRecord run, Exception because) {
        LOG.log(System.Logger.Level.ERROR, "%s cannot be at home here, and is given up".formatted(run.id()), because);
        var saved = context.cluster().uploaded(run.id()).contains(SharedFileName.WORK)
                ? "; its files as last kept: roost restore " + run.id()
                : "; none of its files were kept";
        var evidence = Evidence.none()
                .withNote("it could not be made at home on %s, tried %d times: %s%s"
                        .formatted(context.cluster().self(), MOST_TRIES, because.getMessage(), saved));
        var how = new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED));
        context.ledger()
                .finish(
                        run.id(),
                        run.latest().n(),
                        new AttemptEnd(
                                how,
                                context.clock().now(),
                                evidence,
                                AttemptResult.none(),
                                run.latest().progress()));
        tries.remove(label(run));
        slotIsFree.run();
    }

    private static String label(RunRecord run) {
        return run.id() + "/" + run.latest().n();
    }
}
