package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.Notice;
import dev.roost.ledger.Offer;
import dev.roost.ledger.Pause;
import dev.roost.ledger.Report;
import dev.roost.ledger.Run;
import dev.roost.pauses.PausePolicy;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.Owner;
import dev.roost.run.ParentEvent;
import dev.roost.sessions.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** While nobody looked: each such time is recorded once, and each owner with runs in it is told once. */
class PauseTest extends RealProcesses {

    private static final Owner OTHER = new Owner("claude:other");
    private static final Duration NIGHT = Duration.ofHours(16);

    private final ShiftedClock clock = new ShiftedClock();
    private PausePolicy policy = PausePolicy.NONE;

    @Override
    Clock clock() {
        return clock;
    }

    @Override
    Config config() {
        return new Config(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT).with(policy);
    }

    private void policy(PausePolicy policy) {
        this.policy = policy;
        restart();
    }

    private List<Notice.OfPause> reports(Owner owner) {
        return house.inbox(Optional.of(owner), AS_OPERATOR).stream()
                .filter(Notice.OfPause.class::isInstance)
                .map(Notice.OfPause.class::cast)
                .toList();
    }

    private List<Pause> pauses() {
        return house.reporting()
                .report(Duration.ofDays(30), Optional.empty(), AS_OPERATOR)
                .pauses();
    }

    private Run sleeper() {
        return awaitBegun(sh("until [ -e %s/go ]; do sleep 0.05; done; echo done".formatted(scratch)));
    }

    @Test
    void many_pauses_and_many_runs_fit_into_one_digest() {
        for (int i = 0; i < 20; i++) awaitBegun(sh("echo %s; sleep 600".formatted("x".repeat(200))));
        for (int night = 0; night < 6; night++) {
            clock.sleepMachine(NIGHT);
            house.sweep();
            clock.pass(Duration.ofHours(8));
        }
        assertThat(reports(PARENT)).hasSize(6);
        var offer = report(new ParentEvent.Started()).orElseThrow();
        assertThat(Digest.of(offer, List.of(), clock.now()))
                .hasSizeLessThanOrEqualTo(4000)
                .contains("the machine slept", "earlier pauses: `roost report`");
    }

    @Test
    void a_machine_that_slept_is_reported_once_to_each_owner_with_live_runs_and_to_nobody_else() {
        var run = sleeper();
        var mine = request("sleep", "600");
        var theirs = house.start(new StartRequest(
                OTHER,
                mine.agent(),
                mine.task(),
                mine.name(),
                mine.description(),
                mine.cwd(),
                mine.environment(),
                mine.umask(),
                mine.budget(),
                mine.resumeOnLoss(),
                mine.origin()));
        awaitBegun(theirs);

        clock.sleepMachine(NIGHT);
        house.sweep();
        house.sweep();
        restart();

        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(Pause.Kind.SLEEP);
            assertThat(report.pause().runs())
                    .extracting(caught -> caught.run().id())
                    .containsExactly(run.id());
            assertThat(Digest.line(report))
                    .contains(
                            "the machine slept",
                            "16 h 0 min",
                            "Of 1 run that was live then: 1 still at work",
                            run.id().text());
        });
        assertThat(reports(OTHER))
                .singleElement()
                .satisfies(report -> assertThat(report.pause().runs())
                        .extracting(caught -> caught.run().id())
                        .containsExactly(theirs.id()));
        assertThat(pauses())
                .singleElement()
                .satisfies(pause -> assertThat(pause.runs()).hasSize(2));
        assertThat(house.reporting().report(NIGHT, Optional.empty(), AS_PARENT).pauses())
                .as("an owner sees its own part only")
                .singleElement()
                .satisfies(pause -> assertThat(pause.runs()).hasSize(1));
        assertThat(house.reporting()
                        .report(NIGHT, Optional.empty(), new Caller(new Owner("claude:stranger"), false))
                        .pauses())
                .isEmpty();
    }

    @Test
    void a_gap_of_the_daemon_is_a_pause_and_tells_lost_from_ended_from_still_at_work() throws IOException {
        var alive = sleeper();
        var ends = awaitBegun(sh("until [ -e %s/end ]; do sleep 0.05; done; echo over".formatted(scratch)));
        var lost = awaitBegun(start("sleep", "600"));
        var processes = List.of(perch(lost), agent(lost));

        house.close();
        Files.createFile(scratch.resolve("end"));
        await().atMost(SOON).until(() -> home.run(ends.id()).attempt(1).exit().isPresent());
        processes.forEach(RealProcesses::kill);
        clock.pass(NIGHT);
        house = open();
        restart();

        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(Pause.Kind.DOWNTIME);
            assertThat(Digest.line(report))
                    .contains(
                            "the daemon was down",
                            "Of 3 runs that were live then: 1 lost, 1 ended, 1 still at work",
                            lost.id() + " was lost (its processes vanished without a word)",
                            ends.id() + " completed",
                            alive.id() + " still at work");
        });
    }

    @Test
    void a_batch_that_was_lost_is_named_one_by_one() {
        var lost = Stream.generate(() -> start("sleep", "600"))
                .limit(18)
                .map(this::awaitBegun)
                .toList();
        var processes =
                lost.stream().flatMap(run -> Stream.of(perch(run), agent(run))).toList();
        house.close();
        processes.forEach(RealProcesses::kill);
        clock.pass(NIGHT);
        house = open();
        var text = Digest.of(house.inbox(Optional.of(PARENT), AS_OPERATOR));
        for (var run : lost) assertThat(text).contains("- %s was lost".formatted(run.id()));
        assertThat(text).hasSizeLessThan(4000).doesNotContain("more: `roost report`");
    }

    @Test
    void a_run_that_a_killed_daemon_had_accepted_since_its_last_beat_was_live_in_the_gap_too() throws IOException {
        var run = sleeper();
        house.close();
        var beat = FileTime.from(run.createdAt().minusMillis(900));
        Files.setLastModifiedTime(home.root().resolve("alive"), beat);
        clock.pass(NIGHT);
        house = open();
        assertThat(reports(PARENT))
                .singleElement()
                .satisfies(report -> assertThat(Digest.line(report))
                        .contains(
                                "Of 1 run that was live then: 1 still at work",
                                run.id().text()));
    }

    @Test
    void a_daemon_that_is_away_for_a_moment_is_no_pause() {
        sleeper();
        clock.pass(Duration.ofSeconds(20));
        restart();
        assertThat(pauses()).isEmpty();
    }

    @Test
    void another_boot_is_a_restart_of_the_machine_however_short() throws IOException {
        var run = sleeper();
        house.close();
        Files.writeString(home.root().resolve("alive"), "another-boot");
        house = open();
        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(Pause.Kind.REBOOT);
            assertThat(report.pause().runs()).hasSize(1);
        });
        assertThat(show(run).id()).isEqualTo(run.id());
    }

    @Test
    void a_clock_that_somebody_set_is_an_event_and_nothing_else() {
        var run = sleeper();
        clock.stepWall(Duration.ofHours(3));
        house.sweep();
        clock.stepWall(Duration.ofHours(-3));
        house.sweep();
        assertThat(pauses()).isEmpty();
        assertThat(house.events(run))
                .filteredOn(event -> event.kind().equals("clock_step"))
                .extracting(event -> event.text())
                .containsExactly(
                        "the wall clock was set forward by 3 h 0 min", "the wall clock was set back by 3 h 0 min");
        assertThat(house.inbox(Optional.empty(), AS_OPERATOR)).isEmpty();
    }

    @Test
    void a_pause_report_is_told_once_and_wakes_nobody_by_itself() {
        sleeper();
        report(new ParentEvent.Started(), new ParentEvent.Prompted(true), new ParentEvent.TurnEnded(true));
        clock.sleepMachine(NIGHT);
        house.sweep();
        var offer = report(new ParentEvent.Prompted(true)).orElseThrow();
        assertThat(Digest.of(offer, List.of(), clock.now())).contains("While you were away the machine slept");
        house.sessions().wasOffered(offer);
        report(new ParentEvent.TurnEnded(true));
        assertThat(report(new ParentEvent.Prompted(true))).as("it was told").isEmpty();
        assertThat(reports(PARENT)).isEmpty();
    }

    private Optional<Offer> report(ParentEvent... events) {
        Optional<Offer> last = Optional.empty();
        for (var event : events)
            last = house.sessions()
                    .hear(new Report(PARENT, "claude-code", Optional.empty(), Optional.empty(), event))
                    .offer();
        return last;
    }

    @Test
    void an_announced_pause_runs_its_hooks_and_becomes_the_sleep_that_follows() throws IOException {
        policy(new PausePolicy(
                List.of("sh", "-c", "echo $ROOST_HOME > %s/paused".formatted(scratch)),
                List.of("sh", "-c", "echo no >&2; exit 3"),
                Duration.ofSeconds(10)));
        sleeper();
        var announced = house.pause();
        assertThat(announced.remarks()).containsExactly(new Pause.Remark("on_pause was run", false));
        assertThat(Files.readString(scratch.resolve("paused")).strip())
                .isEqualTo(home.root().toString());
        assertThat(house.pause().id()).as("announced once").isEqualTo(announced.id());

        clock.sleepMachine(NIGHT);
        var over = house.resume().orElseThrow();

        assertThat(over.id()).isEqualTo(announced.id());
        assertThat(over.kind()).isEqualTo(Pause.Kind.SLEEP);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(reports(PARENT))
                        .singleElement()
                        .satisfies(report ->
                                assertThat(Digest.line(report)).contains("on_resume: exit status 3: no", "failed")));
        assertThat(house.resume()).as("it is over").isEmpty();
    }

    @Test
    void a_hook_that_takes_too_long_is_ended_and_said_to_have_failed() {
        policy(new PausePolicy(List.of("sh", "-c", "sleep 600 & wait"), List.of(), Duration.ofMillis(300)));
        assertThat(house.pause().remarks()).singleElement().satisfies(remark -> {
            assertThat(remark.failed()).isTrue();
            assertThat(remark.text()).contains("took longer");
        });
    }

    @Test
    void a_freeze_that_no_clock_shows_ends_when_somebody_says_so() {
        sleeper();
        house.pause();
        clock.pass(Duration.ofHours(2)); // a container that was frozen: no clock stood still
        var pause = house.resume().orElseThrow();
        assertThat(pause.kind()).isEqualTo(Pause.Kind.PLANNED);
        assertThat(reports(PARENT)).hasSize(1);
    }
}
