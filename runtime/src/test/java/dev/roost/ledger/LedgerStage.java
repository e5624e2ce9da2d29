package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.house.ManualClock;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Evidence;
import dev.roost.run.Notify;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.ParentEvent;
import dev.roost.run.ProcessId;
import dev.roost.run.RunEvent;
import dev.roost.run.RunId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A ledger to try, and what the contracts do with it. */
interface LedgerStage {

    Owner PARENT = new Owner("claude:parent");
    Owner STRANGER = new Owner("claude:stranger");
    RunEvent SUCCESS = new RunEvent.Exited(new Outcome.Completed());

    ManualClock clock();

    Ledger ledger();

    /** Closes the ledger and opens it again, as a daemon that comes back does. */
    void reopen();

    default NewRun aRun() {
        return aRun(Optional.empty(), PARENT);
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

    default Run submit(NewRun run) {
        return ledger().submit(run, Caps.NONE);
    }

    default RunId running() {
        submit(aRun());
        return ledger().claimNext(Caps.NONE).orElseThrow().id();
    }

    default Run running(NewRun run) {
        ledger().submit(run, Caps.NONE);
        return ledger().claimNext(Caps.NONE).orElseThrow();
    }

    default End end(RunEvent how) {
        return end(how, "the result");
    }

    default End end(RunEvent how, String result) {
        var text = Optional.of(result).filter(some -> !some.isEmpty());
        return new End(
                how,
                clock().now(),
                Evidence.none(),
                new Result(text, result.length()),
                Progress.of(new Position(7, 9, 11)));
    }

    default Run find(RunId run) {
        return ledger().runs().find(run).orElseThrow();
    }

    default Began processes() {
        return new Began(new ProcessId(1, 1), new ProcessId(2, 2), "boot", 0, 0);
    }

    default Heard hear(Owner owner, ParentEvent event) {
        clock().advance(Duration.ofSeconds(1));
        return ledger().sessions()
                .hear(
                        new Report(owner, "claude-code", Optional.of("/project"), Optional.empty(), event),
                        (_, _) -> true);
    }

    default Offer given(Heard heard) {
        var offer = heard.offer().orElseThrow();
        assertThat(ledger().sessions().written(offer.id())).isTrue();
        return offer;
    }

    default Run ended(Owner owner) {
        var run = running(aRun(Optional.empty(), owner));
        assertThat(ledger().finish(run.id(), 1, end(SUCCESS, "done"))).isTrue();
        return run;
    }

    /** The same run, but for what is given. */
    default NewRun but(NewRun plain, Notify tell, Optional<String> callKey, Optional<Work.Place> place) {
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
                tell,
                callKey,
                place);
    }

    interface Racer {
        boolean run(int i) throws Exception;
    }

    default List<Boolean> atOnce(int n, Racer racer) throws Exception {
        try (var threads = Executors.newFixedThreadPool(n)) {
            var racers = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < n; i++) {
                int me = i;
                racers.add(() -> racer.run(me));
            }
            var results = new ArrayList<Boolean>();
            for (Future<Boolean> one : threads.invokeAll(racers)) results.add(one.get());
            return results;
        }
    }
}
