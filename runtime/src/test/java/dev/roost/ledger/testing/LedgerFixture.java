package dev.roost.ledger.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.ledger.record.SessionUpdate;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Evidence;
import dev.roost.model.Notify;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.ProcessId;
import dev.roost.model.RunEvent;
import dev.roost.model.RunId;
import dev.roost.model.SessionEvent;
import dev.roost.testing.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The ledger under test, with helper methods for the contracts. */
public interface LedgerFixture {

    Owner OWNER = new Owner("claude:parent");
    Owner OTHER_OWNER = new Owner("claude:stranger");
    RunEvent SUCCESS = new RunEvent.Exited(new Outcome.Completed());

    ManualClock clock();

    Ledger ledger();

    /** Closes the ledger and opens it again, as a restarted daemon does. */
    void reopen();

    default NewRun aRun() {
        return aRun(Optional.empty(), OWNER);
    }

    default NewRun aRun(Optional<String> name, Owner owner) {
        return new NewRun(
                RunId.create(clock().now()),
                name,
                owner,
                "command",
                "command",
                "{}",
                "make test",
                Path.of("/"),
                Budget.ofOutput(1 << 30).withMaxTime(Optional.of(Duration.ofMinutes(30))),
                true,
                1,
                Optional.empty());
    }

    default RunRecord submit(NewRun run) {
        return ledger().submit(run, Caps.NONE);
    }

    default RunId running() {
        submit(aRun());
        return ledger().claimNext(Caps.NONE).orElseThrow().id();
    }

    default RunRecord running(NewRun run) {
        ledger().submit(run, Caps.NONE);
        return ledger().claimNext(Caps.NONE).orElseThrow();
    }

    default AttemptEnd end(RunEvent how) {
        return end(how, "the result");
    }

    default AttemptEnd end(RunEvent how, String result) {
        var text = Optional.of(result).filter(some -> !some.isEmpty());
        return new AttemptEnd(
                how,
                clock().now(),
                Evidence.none(),
                new AttemptResult(text, result.length()),
                AttemptProgress.of(new StreamPosition(7, 9, 11)));
    }

    default RunRecord find(RunId run) {
        return ledger().runs().find(run).orElseThrow();
    }

    default StartedProcesses processes() {
        return new StartedProcesses(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0);
    }

    default SessionUpdate reportEvent(Owner owner, SessionEvent event) {
        clock().advance(Duration.ofSeconds(1));
        return ledger().sessions()
                .record(
                        new SessionReport(owner, "claude-code", Optional.of("/project"), Optional.empty(), event),
                        (_, _) -> true);
    }

    default NoticeOffer deliver(SessionUpdate sessionUpdate) {
        var offer = sessionUpdate.offer().orElseThrow();
        assertThat(ledger().sessions().markDelivered(offer.id())).isTrue();
        return offer;
    }

    default RunRecord ended(Owner owner) {
        var run = running(aRun(Optional.empty(), owner));
        assertThat(ledger().finish(run.id(), 1, end(SUCCESS, "done"))).isTrue();
        return run;
    }

    /** The same run with other terms. */
    default NewRun withTerms(
            NewRun plain, Notify notifyMode, Optional<String> callKey, Optional<WorktreeRecord.WorktreePlace> place) {
        return new NewRun(
                plain.id(),
                plain.name(),
                plain.owner(),
                plain.agent(),
                plain.driver(),
                plain.profile(),
                plain.description(),
                plain.cwd(),
                plain.budget(),
                plain.resumeOnLoss(),
                plain.depth(),
                plain.parent(),
                notifyMode,
                callKey,
                place);
    }

    interface Racer {
        boolean run(int i) throws Exception;
    }

    default List<Boolean> concurrently(int n, Racer racer) throws Exception {
        try (var threads = Executors.newFixedThreadPool(n)) {
            var racers = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < n; i++) {
                int index = i;
                racers.add(() -> racer.run(index));
            }
            var results = new ArrayList<Boolean>();
            for (Future<Boolean> one : threads.invokeAll(racers)) results.add(one.get());
            return results;
        }
    }
}
