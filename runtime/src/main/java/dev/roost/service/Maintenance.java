package dev.roost.service;

import dev.roost.attempt.AttemptSupervisor;
import dev.roost.base.ErrorCode;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.LedgerStats;
import dev.roost.model.DoctorResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Maintains a home: pruning, backup, checks and statistics. */
public final class Maintenance {

    private final RuntimeContext context;
    private final AttemptSupervisor supervisor;
    private final MessageSender messageSender;

    Maintenance(RuntimeContext context, AttemptSupervisor supervisor, MessageSender messageSender) {
        this.context = context;
        this.supervisor = supervisor;
        this.messageSender = messageSender;
    }

    /** The statistics of the ledger, with at most so many owners, the biggest first. */
    public LedgerStats tally(int owners) {
        return context.ledger().spend().tally(owners);
    }

    /** The check whether this home is ready for use. */
    public ReadinessCheck readiness() {
        return new ReadinessCheck(
                context.home(),
                context.ledger(),
                () -> supervisor.unsupervised(context.clock().now()));
    }

    /** Removes ended runs by age and size; see {@link PruneRequest}. */
    public PruneResult prune(PruneRequest request) {
        return new RunPruner(context, supervisor, messageSender).prune(request);
    }

    /** Checks the home and the machine; with {@code fix}, also kills leftover processes. */
    public List<DoctorResult> examine(boolean fix) {
        return new Doctor(context).examine(fix);
    }

    /** Copies the ledger to {@code copy} while it is in use. */
    public void backUp(Path copy) {
        if (insideHome(copy)) {
            throw ErrorCode.BACKUP_IN_HOME.error(
                    "%s is inside the home, whose own files a back-up must not replace.".formatted(copy),
                    "Choose a place outside of %s.".formatted(context.home().root()));
        }
        context.ledger().backUp(copy);
    }

    private boolean insideHome(Path copy) {
        try {
            var parent = copy.toAbsolutePath().normalize().getParent();
            return parent != null
                    && parent.toRealPath().startsWith(context.home().root().toRealPath());
        } catch (IOException e) {
            return false; // no such directory: the backup itself reports that
        }
    }
}
