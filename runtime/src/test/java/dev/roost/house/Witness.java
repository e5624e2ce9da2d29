package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Status;
import dev.roost.supervisor.Fence;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Looks at a schedule's runs from outside and compares what Roost says with what was promised and what is there. */
final class Witness {

    private static final Caller OPERATOR = new Caller(new Owner("cli:operator"), true);
    private static final Duration LAG = Duration.ofSeconds(5);

    private final Home home;
    private final Caps caps;
    private final ShiftedClock clock;
    private final Path scratch;

    Witness(Home home, Caps caps, ShiftedClock clock, Path scratch) {
        this.home = home;
        this.caps = caps;
        this.clock = clock;
        this.scratch = scratch;
    }

    /** Everything that must hold whenever somebody looks. */
    void look(House house, Collection<Subject> subjects) {
        for (var subject : subjects) lookAt(house, subject);
        capsHold(house);
        noRowLies(house);
        noBudgetIsOverrun(house);
        for (var subject : subjects) lookAt(house, subject);
    }

    private void lookAt(House house, Subject subject) {
        var run = house.find(subject.id.text(), OPERATOR); // accepted is durable
        assertThat(house.find(subject.id.text(), new Caller(subject.owner, false))
                        .id())
                .isEqualTo(subject.id);
        var output = house.output(run, Output.Request.now());
        if (subject.end.isPresent()) {
            assertThat(run.status().ended())
                    .as("%s had ended, and lives again", subject)
                    .isTrue();
        }
        if (run.status().ended()) ended(house, subject, run);
        else if (!output.run().status().ended()) {
            assertThat(output.result())
                    .as("%s has a result before its end", subject)
                    .isEmpty();
            // an end between two looks is no contradiction: look again
            if (!house.notices(run).isEmpty()) lookAt(house, subject);
        }
    }

    private void ended(House house, Subject subject, Run run) {
        var attempt = run.latest();
        var verdict = new Subject.Verdict(run.status(), attempt.cause().orElseThrow());
        assertThat(subject.possible(clock.monotonicNanos()))
                .as("how %s may end: %s", subject, attempt)
                .contains(verdict);
        assertThat(attempt.n()).as("attempts of %s", subject).isEqualTo(1);
        assertThat(house.attempts(run)).hasSize(1);
        assertThat(house.notices(run)).as("notices of %s", subject).hasSize(1);
        assertThat(attempt.unread()).as("unread of %s", subject).isEqualTo(!subject.readByOwner);
        var result = house.output(run, Output.Request.now()).result();
        if (subject.endedByItself(verdict)) {
            assertThat(result.orElse("")).as("the result of %s", subject).isEqualTo(subject.kind.result);
        } else {
            assertThat(subject.kind.result).as("what %s had said", subject).startsWith(result.orElse(""));
        }
        var first = subject.end.orElseGet(() -> new Subject.EndSeen(attempt, result));
        subject.end = Optional.of(first);
        assertThat(attempt.status())
                .as("status of %s", subject)
                .isEqualTo(first.attempt().status());
        assertThat(attempt.cause())
                .as("cause of %s", subject)
                .isEqualTo(first.attempt().cause());
        assertThat(attempt.evidence())
                .as("evidence of %s", subject)
                .isEqualTo(first.attempt().evidence());
        assertThat(attempt.endedAt())
                .as("end of %s", subject)
                .isEqualTo(first.attempt().endedAt());
        assertThat(result).as("result of %s", subject).isEqualTo(first.result());
    }

    private void capsHold(House house) {
        var running = house.list(Query.of(Query.Which.LIVE), OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .toList();
        assertThat(running).as("runs on this machine").hasSizeLessThanOrEqualTo(caps.machine());
        running.stream()
                .collect(Collectors.groupingBy(Run::owner, Collectors.counting()))
                .forEach((owner, count) ->
                        assertThat(count).as("running runs of %s", owner).isLessThanOrEqualTo(caps.perOwner()));
    }

    /** No row is running without a process, and no process is there without a running row: both may lag, but not long. */
    private void noRowLies(House house) {
        long deadline = System.nanoTime() + LAG.toNanos();
        while (true) {
            var before = running(house);
            var alive = Living.in(home).stream().map(Living::run).collect(Collectors.toSet());
            var after = running(house);
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

    /** A cap is enforced while the run runs: one that is over its time is at least being stopped. */
    private void noBudgetIsOverrun(House house) {
        long deadline = System.nanoTime() + LAG.toNanos();
        while (house.list(Query.of(Query.Which.LIVE), OPERATOR).stream().anyMatch(this::overrun)) {
            assertThat(System.nanoTime()).as("a run goes on over its time").isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private boolean overrun(Run run) {
        var began = run.latest().began();
        if (run.budget().maxTime().isEmpty() || began.isEmpty()) return false;
        long used = clock.monotonicNanos() - began.get().monotonicNanos();
        return used > run.budget().maxTime().get().toNanos()
                && run.latest().stopping().isEmpty();
    }

    private static Set<String> intersection(Set<String> some, Set<String> others) {
        return some.stream().filter(others::contains).collect(Collectors.toSet());
    }

    private static Set<String> running(House house) {
        return house.list(Query.of(Query.Which.LIVE), OPERATOR).stream()
                .filter(run -> run.status() == Status.RUNNING)
                .map(run -> run.id().text())
                .collect(Collectors.toSet());
    }

    /** What must hold when the day is over and everything was stopped. */
    void lookAtTheEnd(House house, Collection<Subject> subjects) throws IOException {
        look(house, subjects);
        assertThat(Living.in(home)).as("left over").isEmpty();
        assertThat(house.list(Query.of(Query.Which.LIVE), OPERATOR))
                .as("still live")
                .isEmpty();
        assertThat(house.live()).as("attempts still led").isZero();
        assertThat(Fence.marks(home)).as("said to be another node's").isEmpty();
        for (var subject : subjects) {
            var run = house.find(subject.id.text(), OPERATOR);
            assertThat(run.status().ended()).as("%s has ended", subject).isTrue();
            ranAtMostOnce(subject, run);
            outputIsWhole(house, subject, run);
        }
        try (var directories = Files.list(home.runs())) {
            assertThat(directories.map(path -> path.getFileName().toString()))
                    .as("directories of runs")
                    .containsExactlyInAnyOrderElementsOf(
                            subjects.stream().map(subject -> subject.id.text()).toList());
        }
    }

    private void ranAtMostOnce(Subject subject, Run run) throws IOException {
        var count = scratch.resolve("count-%s-1".formatted(subject.id));
        String lines = Files.exists(count) ? Files.readString(count) : "";
        assertThat(lines).as("how often %s ran", subject).isIn("", "x\n");
        if (run.status() == Status.COMPLETED || run.status() == Status.COMPLETED_EMPTY) {
            assertThat(lines).as("%s completed, so it ran", subject).isEqualTo("x\n");
        }
    }

    /** Read in as many pieces as it takes, a run's output is its agent's own stream; output.md ends with the end, once. */
    private void outputIsWhole(House house, Subject subject, Run run) throws IOException {
        var text = new StringBuilder();
        long cursor = 0;
        for (boolean more = true; more; ) {
            var output =
                    house.output(run, new Output.Request(Optional.empty(), cursor, Output.Until.NOW, Duration.ZERO));
            text.append(output.text());
            cursor = output.nextCursor();
            more = output.more();
        }
        var raw = home.run(run.id()).attempt(1).out();
        String said = Files.exists(raw) ? Files.readString(raw) : "";
        assertThat(text.toString()).as("the output of %s", subject).isEqualTo(said);
        String last = "\n---\n" + run.status().word() + ": ";
        assertThat(Files.readString(house.outputFile(run)))
                .as("output.md of %s", subject)
                .startsWith(said + last)
                .containsOnlyOnce("\n---\n")
                .doesNotContain("after -");
    }
}
