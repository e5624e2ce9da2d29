package dev.roost.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.home.Home;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.Status;
import dev.roost.node.AttemptFence;
import dev.roost.output.OutputPage;
import dev.roost.service.RoostService;
import dev.roost.testing.OffsetClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Compares what Roost reports about the runs of a schedule with the promises and with the real processes. */
final class RunPromiseChecker {

    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    private static final Duration LAG = Duration.ofSeconds(5);

    private final Home home;
    private final Caps caps;
    private final OffsetClock clock;
    private final Path scratch;

    RunPromiseChecker(Home home, Caps caps, OffsetClock clock, Path scratch) {
        this.home = home;
        this.caps = caps;
        this.clock = clock;
        this.scratch = scratch;
    }

    /** Checks everything that must hold at any time. */
    void check(RoostService service, Collection<ScheduledRun> scheduledRuns) {
        for (var scheduledRun : scheduledRuns) checkRun(service, scheduledRun);
        assertCapsHold(service);
        assertRowsMatchProcesses(service);
        assertNoBudgetIsOverrun(service);
        for (var scheduledRun : scheduledRuns) checkRun(service, scheduledRun);
    }

    private void checkRun(RoostService service, ScheduledRun scheduledRun) {
        var run = service.find(scheduledRun.id.text(), OPERATOR); // an accepted run is durable
        assertThat(service.find(scheduledRun.id.text(), new Caller(scheduledRun.owner, false))
                        .id())
                .isEqualTo(scheduledRun.id);
        var output = service.output(run, OutputPage.Request.now());
        if (scheduledRun.end.isPresent()) {
            assertThat(run.status().ended())
                    .as("%s had ended, and is live again", scheduledRun)
                    .isTrue();
        }
        if (run.status().ended()) ended(service, scheduledRun, run);
        else if (!output.run().status().ended()) {
            assertThat(output.result())
                    .as("%s has a result before its end", scheduledRun)
                    .isEmpty();
            // the run may have ended between the two reads: check again
            if (!service.notices(run).isEmpty()) checkRun(service, scheduledRun);
        }
    }

    private void ended(RoostService service, ScheduledRun scheduledRun, RunRecord run) {
        var attempt = run.latest();
        var verdict = new ScheduledRun.Verdict(run.status(), attempt.cause().orElseThrow());
        assertThat(scheduledRun.possible(clock.monotonicNanos()))
                .as("possible ends of %s: %s", scheduledRun, attempt)
                .contains(verdict);
        assertThat(attempt.n()).as("attempts of %s", scheduledRun).isEqualTo(1);
        assertThat(service.attempts(run)).hasSize(1);
        assertThat(service.notices(run)).as("notices of %s", scheduledRun).hasSize(1);
        assertThat(attempt.unread()).as("unread of %s", scheduledRun).isEqualTo(!scheduledRun.readByOwner);
        var result = service.output(run, OutputPage.Request.now()).result();
        if (scheduledRun.endedByItself(verdict)) {
            assertThat(result.orElse(""))
                    .as("the result of %s", scheduledRun)
                    .isEqualTo(scheduledRun.scheduleAgentKind.result);
        } else {
            assertThat(scheduledRun.scheduleAgentKind.result)
                    .as("the output of %s", scheduledRun)
                    .startsWith(result.orElse(""));
        }
        var first = scheduledRun.end.orElseGet(() -> new ScheduledRun.EndSeen(attempt, result));
        scheduledRun.end = Optional.of(first);
        assertThat(attempt.status())
                .as("status of %s", scheduledRun)
                .isEqualTo(first.attempt().status());
        assertThat(attempt.cause())
                .as("cause of %s", scheduledRun)
                .isEqualTo(first.attempt().cause());
        assertThat(attempt.evidence())
                .as("evidence of %s", scheduledRun)
                .isEqualTo(first.attempt().evidence());
        assertThat(attempt.endedAt())
                .as("end of %s", scheduledRun)
                .isEqualTo(first.attempt().endedAt());
        assertThat(result).as("result of %s", scheduledRun).isEqualTo(first.result());
    }

    private void assertCapsHold(RoostService service) {
        var running = service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .toList();
        assertThat(running).as("runs on this machine").hasSizeLessThanOrEqualTo(caps.machine());
        running.stream()
                .collect(Collectors.groupingBy(RunRecord::owner, Collectors.counting()))
                .forEach((owner, count) ->
                        assertThat(count).as("running runs of %s", owner).isLessThanOrEqualTo(caps.perOwner()));
    }

    /** Every running row has a process, and every process has a running row; both may lag briefly. */
    private void assertRowsMatchProcesses(RoostService service) {
        long deadline = System.nanoTime() + LAG.toNanos();
        while (true) {
            var before = running(service);
            var alive = RunProcess.in(home).stream().map(RunProcess::run).collect(Collectors.toSet());
            var after = running(service);
            boolean late = System.nanoTime() > deadline;
            if (late) {
                assertThat(alive)
                        .as("live processes of runs that are running")
                        .containsAll(intersection(before, after));
                assertThat(before).as("running runs that have live processes").containsAll(alive);
            }
            if (alive.containsAll(intersection(before, after)) && before.containsAll(alive)) return;
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** A live run over its time cap is at least being stopped. */
    private void assertNoBudgetIsOverrun(RoostService service) {
        long deadline = System.nanoTime() + LAG.toNanos();
        while (service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR).stream()
                .anyMatch(this::overrun)) {
            assertThat(System.nanoTime())
                    .as("a run is over its time and not being stopped")
                    .isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private boolean overrun(RunRecord run) {
        var began = run.latest().began();
        if (run.budget().maxTime().isEmpty() || began.isEmpty()) return false;
        long used = clock.monotonicNanos() - began.get().monotonicNanos();
        return used > run.budget().maxTime().get().toNanos()
                && run.latest().stopping().isEmpty();
    }

    private static Set<String> intersection(Set<String> some, Set<String> others) {
        return some.stream().filter(others::contains).collect(Collectors.toSet());
    }

    private static Set<String> running(RoostService service) {
        return service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .map(run -> run.id().text())
                .collect(Collectors.toSet());
    }

    /** Checks what must hold after all runs have ended. */
    void checkEnd(RoostService service, Collection<ScheduledRun> scheduledRuns) throws IOException {
        check(service, scheduledRuns);
        assertThat(RunProcess.in(home)).as("left-over processes").isEmpty();
        assertThat(service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR))
                .as("still live")
                .isEmpty();
        assertThat(service.liveCount()).as("attempts still supervised").isZero();
        assertThat(AttemptFence.marks(home)).as("attempts fenced").isEmpty();
        for (var scheduledRun : scheduledRuns) {
            var run = service.find(scheduledRun.id.text(), OPERATOR);
            assertThat(run.status().ended()).as("%s has ended", scheduledRun).isTrue();
            assertRanAtMostOnce(scheduledRun, run);
            assertOutputIsComplete(service, scheduledRun, run);
        }
        try (var directories = Files.list(home.runs())) {
            assertThat(directories.map(path -> path.getFileName().toString()))
                    .as("directories of runs")
                    .containsExactlyInAnyOrderElementsOf(scheduledRuns.stream()
                            .map(scheduledRun -> scheduledRun.id.text())
                            .toList());
        }
    }

    private void assertRanAtMostOnce(ScheduledRun scheduledRun, RunRecord run) throws IOException {
        var count = scratch.resolve("count-%s-1".formatted(scheduledRun.id));
        String lines = Files.exists(count) ? Files.readString(count) : "";
        assertThat(lines).as("starts of %s", scheduledRun).isIn("", "x\n");
        if (run.status() == Status.COMPLETED || run.status() == Status.COMPLETED_EMPTY) {
            assertThat(lines).as("%s completed, so it ran", scheduledRun).isEqualTo("x\n");
        }
    }

    /** The output, read in pieces, equals the agent's raw stream, and output.md has the last lines once. */
    private void assertOutputIsComplete(RoostService service, ScheduledRun scheduledRun, RunRecord run)
            throws IOException {
        var text = new StringBuilder();
        long cursor = 0;
        for (boolean more = true; more; ) {
            var output = service.output(
                    run, new OutputPage.Request(Optional.empty(), cursor, OutputPage.WaitMode.NOW, Duration.ZERO));
            text.append(output.text());
            cursor = output.nextCursor();
            more = output.more();
        }
        var raw = home.run(run.id()).attempt(1).out();
        String rawText = Files.exists(raw) ? Files.readString(raw) : "";
        assertThat(text.toString()).as("the output of %s", scheduledRun).isEqualTo(rawText);
        String last = "\n---\n" + run.status().word() + ": ";
        assertThat(Files.readString(service.outputFile(run)))
                .as("output.md of %s", scheduledRun)
                .startsWith(rawText + last)
                .containsOnlyOnce("\n---\n")
                .doesNotContain("after -");
    }
}
