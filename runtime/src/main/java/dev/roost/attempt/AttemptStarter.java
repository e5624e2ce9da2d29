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
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Relocates a claimed run to this node and makes the loop of its attempt. */
final class AttemptStarter {

    private static final System.Logger LOG = System.getLogger(AttemptStarter.class.getName());
    private static final int MAX_TRIES = 30;

    private final RuntimeContext context;
    private final Runnable slotIsFree;
    private final RunRelocation relocation;
    private final Map<String, Integer> tries = new ConcurrentHashMap<>();

    AttemptStarter(RuntimeContext context, Runnable slotIsFree) {
        this.context = context;
        this.slotIsFree = slotIsFree;
        this.relocation = new RunRelocation(context);
    }

    /** Makes the loop. A run that cannot run here is refused at once; other errors are retried, up to a limit. */
    @Nullable
    AttemptLoop start(RunRecord run, boolean fresh) throws IOException {
        RunRecord here;
        try {
            here = relocation.relocate(run);
            tries.remove(label(run));
        } catch (BadInput | Refusal e) {
            return AttemptLoop.refuse(context, run, e);
        } catch (IOException | RuntimeException e) {
            if (AttemptLoop.isRetryable(e) || tries.merge(label(run), 1, Integer::sum) < MAX_TRIES) throw e;
            abandonStart(run, e);
            return null;
        }
        return fresh ? AttemptLoop.begin(context, here) : AttemptLoop.reattach(context, here);
    }

    /** Ends the attempt as failed without touching its files, which may cause the error, and keeps what was uploaded. */
    private void abandonStart(RunRecord run, Exception because) {
        LOG.log(System.Logger.Level.ERROR, "gave up starting %s on this node".formatted(run.id()), because);
        var saved = context.output().uploaded(run.id()).contains(SharedFileName.WORK)
                ? "; restore its last uploaded files: roost restore " + run.id()
                : "; none of its files were uploaded";
        var evidence = Evidence.none()
                .withNote("it could not be started on %s after %d tries: %s%s"
                        .formatted(context.membership().self(), MAX_TRIES, because.getMessage(), saved));
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
