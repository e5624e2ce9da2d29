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

/** Owner sessions: records their reports, offers them notices and wakes them. */
public final class OwnerSessions {

    private final RuntimeContext context;
    private final WakeScheduler wakeScheduler;

    public OwnerSessions(RuntimeContext context, WakeScheduler wakeScheduler) {
        this.context = context;
        this.wakeScheduler = wakeScheduler;
    }

    /** Records a harness's report about an owner session. The returned offer has not been delivered yet. */
    public SessionUpdate record(SessionReport report) {
        var sessionUpdate = context.ledger()
                .sessions()
                .record(
                        report,
                        (session, undelivered) -> wakeScheduler
                                .rules()
                                .againstAnotherTurn(session, undelivered)
                                .isEmpty());
        if (sessionUpdate.session().state() != OwnerSession.SessionState.IDLE) wakeScheduler.cancelWait(report.owner());
        if (sessionUpdate.session().state() == OwnerSession.SessionState.ENDED
                && context.config().wakePolicy().mode() == WakePolicy.Mode.HEADLESS)
            wakeScheduler.noticeAdded(report.owner());
        return sessionUpdate;
    }

    /** Called after an offer was written to the harness. */
    public void markDelivered(NoticeOffer offer) {
        context.ledger().sessions().markDelivered(offer.id());
    }

    /** Called if an offer was not written: it may be made again in the same turn. A written offer does not change. */
    public void cancel(NoticeOffer offer) {
        context.ledger().sessions().cancel(offer.id());
    }

    /** Waits for an offer that wakes this owner's session; empty after the timeout, or when the wait is obsolete. */
    public Optional<NoticeOffer> awaitWake(Owner owner, Duration timeout) throws InterruptedException {
        return wakeScheduler.await(owner, timeout);
    }

    /** Sets how an ended session is continued without a person; the function returns false if it cannot be. */
    public void onHeadlessWake(BiFunction<OwnerSession, NoticeOffer, Boolean> waker) {
        wakeScheduler.headlessWaker(waker);
    }

    public Optional<OwnerSession> find(Owner owner) {
        return context.ledger().sessions().find(owner);
    }

    /** The session that this harness process reported last. */
    public Optional<OwnerSession> findByHarness(OwnerSession.HarnessProcess process) {
        return context.ledger().sessions().findByHarness(process);
    }

    public List<OwnerSession> all() {
        return context.ledger().sessions().all();
    }

    /** Moves the runs of a cleared session to its successor. */
    public List<RunId> transferRuns(Owner from, Owner to) {
        return context.ledger().sessions().transferRuns(from, to);
    }

    /** Moves runs to another owner. Only a person may do that; the surfaces check it. */
    public List<RunRecord> adopt(List<RunRecord> runs, Owner to) {
        context.ledger().sessions().adopt(runs.stream().map(RunRecord::id).toList(), to);
        wakeScheduler.noticeAdded(to);
        return runs.stream()
                .map(run -> context.ledger().runs().find(run.id()).orElseThrow())
                .toList();
    }

    /** The harness that started the process with this pid, directly or through a shell. */
    public static Optional<OwnerSession.HarnessProcess> harnessOf(long pid) {
        return Processes.starter(pid).map(process -> new OwnerSession.HarnessProcess(process, Processes.bootId()));
    }

    /** The harness whose process has this pid. */
    public static Optional<OwnerSession.HarnessProcess> harness(long pid) {
        return Processes.ancestors(pid).stream()
                .findFirst()
                .map(process -> new OwnerSession.HarnessProcess(process, Processes.bootId()));
    }
}
