package dev.roost.service.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.PromiseChecker;
import dev.roost.chaos.promise.RunFact;
import dev.roost.chaos.promise.RunObservation;
import dev.roost.home.Home;
import dev.roost.ledger.record.AttemptRecord;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Shows the checker what Roost reports about the runs of a schedule, beside the real processes and files. */
final class RunScheduleInspector {

    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);

    private final PromiseChecker checker = new PromiseChecker();
    private final Home home;
    private final Caps caps;
    private final OffsetClock clock;
    private final Path scratch;

    RunScheduleInspector(Home home, Caps caps, OffsetClock clock, Path scratch) {
        this.home = home;
        this.caps = caps;
        this.clock = clock;
        this.scratch = scratch;
    }

    private static double now() {
        return System.nanoTime() / 1e9;
    }

    void see(RunFact... facts) {
        checker.see(now(), facts);
        assertThat(checker.violations()).isEmpty();
    }

    /** Checks everything that must hold at any time. */
    void check(RoostService service, Collection<ScheduledRun> scheduledRuns) {
        double began = now();
        while (!checker.check(new RunObservation(now(), began, observe(service, scheduledRuns)))) {
            assertThat(checker.violations()).isEmpty();
            LockSupport.parkNanos(5_000_000);
        }
        assertThat(checker.violations()).isEmpty();
    }

    private List<RunFact> observe(RoostService service, Collection<ScheduledRun> scheduledRuns) {
        var facts = new ArrayList<RunFact>();
        var all = service.list(RunQuery.of(RunQuery.StatusFilter.ALL), OPERATOR);
        facts.add(new RunFact.Listed(ids(all), true));
        for (var scheduledRun : scheduledRuns) inspect(service, scheduledRun, facts);
        var running = service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .toList();
        facts.add(new RunFact.Amount(Promise.BOUNDED, "", "runs on this machine", running.size(), caps.machine()));
        running.stream()
                .collect(Collectors.groupingBy(RunRecord::owner, Collectors.counting()))
                .forEach((owner, count) -> facts.add(
                        new RunFact.Amount(Promise.BOUNDED, "", "running runs of " + owner, count, caps.perOwner())));
        var processes = RunProcess.in(home).stream().collect(Collectors.groupingBy(RunProcess::run));
        for (var id : ids(all)) facts.add(new RunFact.Processes(id, processes.getOrDefault(id, List.of())));
        var strangers = new TreeSet<>(processes.keySet());
        strangers.removeAll(ids(all));
        facts.add(new RunFact.Lag(
                answer(Promise.NO_ORPHANS, "", "runs that have processes, but no row", strangers, Set.of())));
        for (var run : running) facts.add(new RunFact.Lag(used(run)));
        return facts;
    }

    private static Set<String> ids(Collection<RunRecord> runs) {
        return runs.stream().map(run -> run.id().text()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A live run over its time cap is at least being stopped. */
    private RunFact used(RunRecord run) {
        var began = run.latest().began();
        boolean counts = began.isPresent() && run.latest().stopping().isEmpty();
        long used = counts ? clock.monotonicNanos() - began.get().monotonicNanos() : 0;
        long cap = run.budget().maxTime().map(Duration::toNanos).orElse(Long.MAX_VALUE);
        return new RunFact.Amount(Promise.BOUNDED, run.id().text(), "nanoseconds without a stop", used, cap);
    }

    private void inspect(RoostService service, ScheduledRun scheduledRun, List<RunFact> facts) {
        String id = scheduledRun.id.text();
        var run = service.find(id, OPERATOR);
        String found =
                service.find(id, new Caller(scheduledRun.owner, false)).id().text();
        facts.add(new RunFact.Answer(Promise.YOURS_IS_YOURS, id, "what its owner finds", found, id));
        var output = service.output(run, OutputPage.Request.now());
        var attempt = run.latest();
        facts.add(new RunFact.Amount(Promise.FIRST_END_WINS, id, "its attempt", attempt.n(), 1, 1));
        if (run.status().ended()) {
            ended(service, scheduledRun, run, output.result(), facts);
        } else if (!output.run().status().ended()) {
            int notices = service.notices(run).size();
            if (notices > 0 && service.find(id, OPERATOR).status().ended()) {
                inspect(service, scheduledRun, facts); // it ended between the two reads
                return;
            }
            facts.add(new RunFact.Reported(id, attempt.n(), run.status().word(), ""));
            facts.add(new RunFact.Notified(id, attempt.n(), notices, false));
            facts.add(answer(Promise.ONE_COMMIT, id, "its result before its end", output.result(), Optional.empty()));
        }
    }

    private void ended(
            RoostService service,
            ScheduledRun scheduledRun,
            RunRecord run,
            Optional<String> result,
            List<RunFact> facts) {
        String id = run.id().text();
        var attempt = run.latest();
        facts.add(new RunFact.Reported(id, attempt.n(), run.status().word(), end(attempt, result)));
        var verdict = new ScheduledRun.Verdict(run.status(), attempt.cause().orElseThrow());
        var possible = scheduledRun.possible(clock.monotonicNanos()).stream()
                .map(ScheduledRun.Verdict::toString)
                .collect(Collectors.toSet());
        facts.add(new RunFact.Ended(id, attempt.n(), verdict.toString(), possible));
        int attempts = service.attempts(run).size();
        facts.add(new RunFact.Amount(Promise.FIRST_END_WINS, id, "its attempts", attempts, 1, 1));
        facts.add(new RunFact.Notified(id, attempt.n(), service.notices(run).size(), true));
        facts.add(answer(Promise.READING_DESTROYS_NOTHING, id, "unread", attempt.unread(), !scheduledRun.readByOwner));
        String whole = scheduledRun.scheduleAgentKind.result;
        String said = result.orElse("");
        String right = scheduledRun.endedByItself(verdict)
                ? whole
                : whole.substring(0, Math.min(said.length(), whole.length()));
        facts.add(answer(Promise.ONE_TRUTH, id, "its result", said, right));
    }

    private static String end(AttemptRecord attempt, Optional<String> result) {
        return "%s, %s, %s, %s, %s"
                .formatted(attempt.status(), attempt.cause(), attempt.evidence(), attempt.endedAt(), result);
    }

    static RunFact answer(Promise promise, String run, String question, Object answer, Object right) {
        return new RunFact.Answer(promise, run, question, answer.toString(), right.toString());
    }

    /** Checks what must hold after all runs have ended. */
    void checkEnd(RoostService service, Collection<ScheduledRun> scheduledRuns) throws IOException {
        check(service, scheduledRuns);
        var live = service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), OPERATOR);
        see(
                answer(Promise.NO_ORPHANS, "", "left-over processes", RunProcess.in(home), List.of()),
                answer(Promise.NO_ROW_LIES, "", "still live", ids(live), Set.of()),
                answer(Promise.NO_ROW_LIES, "", "attempts still supervised", service.liveCount(), 0),
                answer(Promise.NO_ROW_LIES, "", "attempts fenced", AttemptFence.marks(home), List.of()));
        for (var scheduledRun : scheduledRuns) {
            var run = service.find(scheduledRun.id.text(), OPERATOR);
            ranAtMostOnce(scheduledRun, run);
            outputIsComplete(service, run);
        }
        try (var directories = Files.list(home.runs())) {
            var names = directories.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
            see(new RunFact.Traced("a directory", names, true));
        }
    }

    private void ranAtMostOnce(ScheduledRun scheduledRun, RunRecord run) throws IOException {
        var count = scratch.resolve("count-%s-1".formatted(scheduledRun.id));
        String lines = Files.exists(count) ? Files.readString(count) : "";
        boolean done = run.status() == Status.COMPLETED || run.status() == Status.COMPLETED_EMPTY;
        String id = run.id().text();
        see(new RunFact.Amount(Promise.FIRST_END_WINS, id, "its starts", lines.length() / 2, done ? 1 : 0, 1));
        see(answer(Promise.FIRST_END_WINS, id, "what its starts wrote", lines, lines.isEmpty() ? "" : "x\n"));
    }

    /** The output, read in pieces, equals the agent's raw stream, and output.md has the last lines once. */
    private void outputIsComplete(RoostService service, RunRecord run) throws IOException {
        var text = new StringBuilder();
        long cursor = 0;
        for (boolean more = true; more; ) {
            var output = service.output(
                    run, new OutputPage.Request(Optional.empty(), cursor, OutputPage.WaitMode.NOW, Duration.ZERO));
            text.append(output.text());
            cursor = output.nextCursor();
            more = output.more();
        }
        String id = run.id().text();
        var raw = home.run(run.id()).attempt(1).out();
        String rawText = Files.exists(raw) ? Files.readString(raw) : "";
        see(answer(Promise.ONE_TRUTH, id, "its output", text, rawText));
        String start = rawText + "\n---\n" + run.status().word() + ": ";
        String file = Files.readString(service.outputFile(run));
        String begin = file.substring(0, Math.min(file.length(), start.length()));
        see(answer(Promise.ONE_TRUTH, id, "the beginning of output.md", begin, start));
        see(new RunFact.Amount(
                Promise.ONE_TRUTH, id, "separators in output.md", file.split("\n---\n", -1).length - 1, 1, 1));
        see(answer(Promise.ONE_TRUTH, id, "a negative time in output.md", file.contains("after -"), false));
    }
}
