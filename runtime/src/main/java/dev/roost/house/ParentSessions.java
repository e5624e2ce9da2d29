package dev.roost.house;

import dev.roost.ledger.Heard;
import dev.roost.ledger.Offer;
import dev.roost.ledger.Report;
import dev.roost.ledger.Run;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.RunId;
import dev.roost.sessions.WakePolicy;
import dev.roost.supervisor.Processes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** Parent sessions: what is heard of them, what is put before them, and who wakes them. */
public final class ParentSessions {

    private final Rooms rooms;
    private final Waking waking;

    ParentSessions(Rooms rooms, Waking waking) {
        this.rooms = rooms;
        this.waking = waking;
    }

    /** Takes in what a harness reports of a parent session; what is to be put before it, it has not yet been given. */
    public Heard hear(Report report) {
        var heard = rooms.ledger()
                .sessions()
                .hear(
                        report,
                        (parent, untold) -> waking.rules()
                                .againstAnotherTurn(parent, untold)
                                .isEmpty());
        if (heard.parent().state() != Parent.State.IDLE) waking.release(report.owner());
        if (heard.parent().state() == Parent.State.ENDED
                && rooms.config().waking().mode() == WakePolicy.Mode.HEADLESS) waking.news(report.owner());
        return heard;
    }

    /** To be called once an offer was written out to the harness. */
    public void wasOffered(Offer offer) {
        rooms.ledger().sessions().written(offer.id());
    }

    /** To be called if it was not: it may be made again in the same turn. One that was is not touched. */
    public void wasNotOffered(Offer offer) {
        rooms.ledger().sessions().withdraw(offer.id());
    }

    /** Waits until this owner's session is to be woken; empty if there is no need to wait any more. */
    public Optional<Offer> awaitWake(Owner owner, Duration timeout) throws InterruptedException {
        return waking.await(owner, timeout);
    }

    /** How a session that has ended is continued without anybody before it; false if it cannot be. */
    public void onHeadlessWake(BiFunction<Parent, Offer, Boolean> way) {
        waking.headless(way);
    }

    public Optional<Parent> find(Owner owner) {
        return rooms.ledger().sessions().find(owner);
    }

    /** The session that was last heard of in this process. */
    public Optional<Parent> in(Parent.Harness process) {
        return rooms.ledger().sessions().in(process);
    }

    public List<Parent> all() {
        return rooms.ledger().sessions().all();
    }

    /** What a session that was cleared leaves goes to the one that follows it. */
    public List<RunId> rehome(Owner from, Owner to) {
        return rooms.ledger().sessions().rehome(from, to);
    }

    /** Gives runs to another owner. For a person to do: surfaces see to that. */
    public List<Run> adopt(List<Run> runs, Owner to) {
        rooms.ledger().sessions().adopt(runs.stream().map(Run::id).toList(), to);
        waking.news(to);
        return runs.stream()
                .map(run -> rooms.ledger().runs().find(run.id()).orElseThrow())
                .toList();
    }

    /** The harness that has started the process with this pid, be it through a shell. */
    public static Optional<Parent.Harness> harnessOf(long pid) {
        return Processes.starter(pid).map(process -> new Parent.Harness(process, Processes.bootId()));
    }

    /** The harness that is the process with this pid. */
    public static Optional<Parent.Harness> harness(long pid) {
        return Processes.ancestors(pid).stream()
                .findFirst()
                .map(process -> new Parent.Harness(process, Processes.bootId()));
    }
}
