package dev.roost.sessions;

import dev.roost.config.WakePolicy;
import dev.roost.engine.RuntimeContext;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.ledger.record.SessionUpdate;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.RunId;
import dev.roost.os.Processes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Parent sessions: what is heard of them, what is put before them, and who wakes them. */
public final class OwnerSessions {

    private final RuntimeContext context;
    private final WakeScheduler wakeScheduler;

    public OwnerSessions(RuntimeContext context, WakeScheduler wakeScheduler) {
        this.context = context;
        this.wakeScheduler = wakeScheduler;
    }

    /** Takes in what a harness reports of a parent session; what is to be put before it, it has not yet been given. */
    public SessionUpdate record(SessionReport report) {
        var sessionUpdate = context.ledger()
                .sessions()
                .record(
                        report,
                        (session, untold) -> wakeScheduler
                                .rules()
                                .againstAnotherTurn(session, untold)
                                .isEmpty());
        if (sessionUpdate.session().state() != OwnerSession.SessionState.IDLE) wakeScheduler.cancelWait(report.owner());
        if (sessionUpdate.session().state() == OwnerSession.SessionState.ENDED
                && context.config().wakePolicy().mode() == WakePolicy.Mode.HEADLESS)
            wakeScheduler.noticeAdded(report.owner());
        return sessionUpdate;
    }

    /** To be called once an offer was written out to the harness. */
    public void markDelivered(NoticeOffer offer) {
        context.ledger().sessions().markDelivered(offer.id());
    }

    /** To be called if it was not: it may be made again in the same turn. One that was is not touched. */
    public void cancel(NoticeOffer offer) {
        context.ledger().sessions().cancel(offer.id());
    }

    /** Waits until this owner's session is to be woken; empty if there is no need to wait any more. */
    public Optional<NoticeOffer> awaitWake(Owner owner, Duration timeout) throws InterruptedException {
        return wakeScheduler.await(owner, timeout);
    }

    /** How a session that has ended is continued without anybody before it; false if it cannot be. */
    public void onHeadlessWake(BiFunction<OwnerSession, NoticeOffer, Boolean> way) {
        wakeScheduler.headlessWaker(way);
    }

    public Optional<OwnerSession> find(Owner owner) {
        return context.ledger().sessions().find(owner);
    }

    /** The session that was last heard of in this process. */
    public Optional<OwnerSession> findByHarness(OwnerSession.HarnessProcess process) {
        return context.ledger().sessions().findByHarness(process);
    }

    public List<OwnerSession> all() {
        return context.ledger().sessions().all();
    }

    /** What a session that was cleared leaves goes to the one that follows it. */
    public List<RunId> transferRuns(Owner from, Owner to) {
        return context.ledger().sessions().transferRuns(from, to);
    }

    /** Gives runs to another owner. For a person to do: surfaces see to that. */
    public List<RunRecord> adopt(List<RunRecord> runs, Owner to) {
        context.ledger().sessions().adopt(runs.stream().map(RunRecord::id).toList(), to);
        wakeScheduler.noticeAdded(to);
        return runs.stream()
                .map(run -> context.ledger().runs().find(run.id()).orElseThrow())
                .toList();
    }

    /** The harness that has started the process with this pid, be it through a shell. */
    public static Optional<OwnerSession.HarnessProcess> harnessOf(long pid) {
        return Processes.starter(pid).map(process -> new OwnerSession.HarnessProcess(process, Processes.bootId()));
    }

    /** The harness that is the process with this pid. */
    public static Optional<OwnerSession.HarnessProcess> harness(long pid) {
        return Processes.ancestors(pid).stream()
                .findFirst()
                .map(process -> new OwnerSession.HarnessProcess(process, Processes.bootId()));
    }
}
