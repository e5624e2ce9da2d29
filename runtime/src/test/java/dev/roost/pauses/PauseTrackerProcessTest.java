package dev.roost.pauses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.config.PausePolicy;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.NoticeRecord;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.SessionEvent;
import dev.roost.service.RealProcessFixture;
import dev.roost.sessions.NoticeDigest;
import dev.roost.testing.OffsetClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each pause is recorded once, and each owner with live runs in it gets one report. */
class PauseTrackerProcessTest extends RealProcessFixture {

    private static final Owner OTHER = new Owner("claude:other");
    private static final Duration NIGHT = Duration.ofHours(16);

    private final OffsetClock clock = new OffsetClock();
    private PausePolicy policy = PausePolicy.NONE;

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public EngineConfig config() {
        return new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT).with(policy);
    }

    private void policy(PausePolicy policy) {
        this.policy = policy;
        restart();
    }

    private List<NoticeRecord.PauseNotice> reports(Owner owner) {
        return service.inbox(Optional.of(owner), AS_OPERATOR).stream()
                .filter(NoticeRecord.PauseNotice.class::isInstance)
                .map(NoticeRecord.PauseNotice.class::cast)
                .toList();
    }

    private List<PauseWindow> pauses() {
        return service.activityReports()
                .report(Duration.ofDays(30), Optional.empty(), AS_OPERATOR)
                .pauses();
    }

    private RunRecord sleeper() {
        return awaitBegun(sh("until [ -e %s/go ]; do sleep 0.05; done; echo done".formatted(scratch)));
    }

    @Test
    void many_pauses_and_many_runs_fit_into_one_digest() {
        for (int i = 0; i < 20; i++) awaitBegun(sh("echo %s; sleep 600".formatted("x".repeat(200))));
        for (int night = 0; night < 6; night++) {
            clock.sleepMachine(NIGHT);
            service.sweep();
            clock.pass(Duration.ofHours(8));
        }
        assertThat(reports(PARENT)).hasSize(6);
        var offer = report(new SessionEvent.SessionStarted()).orElseThrow();
        assertThat(NoticeDigest.of(offer, List.of(), clock.now()))
                .hasSizeLessThanOrEqualTo(4000)
                .contains("the machine slept", "earlier pauses: `roost report`");
    }

    @Test
    void a_sleep_of_the_machine_is_reported_once_to_each_owner_with_live_runs_and_to_no_other() {
        var run = sleeper();
        var mine = request("sleep", "600");
        var theirs = service.start(new StartRequest(
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
        service.sweep();
        service.sweep();
        restart();

        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(PauseWindow.Kind.SLEEP);
            assertThat(report.pause().runs())
                    .extracting(affected -> affected.run().id())
                    .containsExactly(run.id());
            assertThat(NoticeDigest.line(report))
                    .contains(
                            "the machine slept",
                            "16 h 0 min",
                            "Of 1 run that was live then: 1 still at work",
                            run.id().text());
        });
        assertThat(reports(OTHER))
                .singleElement()
                .satisfies(report -> assertThat(report.pause().runs())
                        .extracting(affected -> affected.run().id())
                        .containsExactly(theirs.id()));
        assertThat(pauses())
                .singleElement()
                .satisfies(pause -> assertThat(pause.runs()).hasSize(2));
        assertThat(service.activityReports()
                        .report(NIGHT, Optional.empty(), AS_PARENT)
                        .pauses())
                .as("an owner sees its own part only")
                .singleElement()
                .satisfies(pause -> assertThat(pause.runs()).hasSize(1));
        assertThat(service.activityReports()
                        .report(NIGHT, Optional.empty(), new Caller(new Owner("claude:stranger"), false))
                        .pauses())
                .isEmpty();
    }

    @Test
    void a_downtime_of_the_daemon_is_a_pause_whose_report_distinguishes_lost_ended_and_live_runs() throws IOException {
        var alive = sleeper();
        var ends = awaitBegun(sh("until [ -e %s/end ]; do sleep 0.05; done; echo over".formatted(scratch)));
        var lost = awaitBegun(start("sleep", "600"));
        var processes = List.of(perch(lost), agent(lost));

        service.close();
        Files.createFile(scratch.resolve("end"));
        await().atMost(SOON).until(() -> home.run(ends.id()).attempt(1).exit().isPresent());
        processes.forEach(RealProcessFixture::kill);
        clock.pass(NIGHT);
        service = open();
        restart();

        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(PauseWindow.Kind.DOWNTIME);
            assertThat(NoticeDigest.line(report))
                    .contains(
                            "the daemon was down",
                            "Of 3 runs that were live then: 1 lost, 1 ended, 1 still at work",
                            lost.id() + " was lost (its processes vanished without an exit record)",
                            ends.id() + " completed",
                            alive.id() + " still at work");
        });
    }

    @Test
    void a_report_names_every_lost_run_of_a_batch() {
        var lost = Stream.generate(() -> start("sleep", "600"))
                .limit(18)
                .map(this::awaitBegun)
                .toList();
        var processes =
                lost.stream().flatMap(run -> Stream.of(perch(run), agent(run))).toList();
        service.close();
        processes.forEach(RealProcessFixture::kill);
        clock.pass(NIGHT);
        service = open();
        var text = NoticeDigest.of(service.inbox(Optional.of(PARENT), AS_OPERATOR));
        for (var run : lost) assertThat(text).contains("- %s was lost".formatted(run.id()));
        assertThat(text).hasSizeLessThan(4000).doesNotContain("more: `roost report`");
    }

    @Test
    void a_run_accepted_after_the_last_heartbeat_of_a_killed_daemon_is_part_of_the_pause() throws IOException {
        var run = sleeper();
        service.close();
        var beat = FileTime.from(run.createdAt().minusMillis(900));
        Files.setLastModifiedTime(home.root().resolve("alive"), beat);
        clock.pass(NIGHT);
        service = open();
        assertThat(reports(PARENT))
                .singleElement()
                .satisfies(report -> assertThat(NoticeDigest.line(report))
                        .contains(
                                "Of 1 run that was live then: 1 still at work",
                                run.id().text()));
    }

    @Test
    void a_short_restart_of_the_daemon_is_no_pause() {
        sleeper();
        clock.pass(Duration.ofSeconds(20));
        restart();
        assertThat(pauses()).isEmpty();
    }

    @Test
    void another_boot_id_is_a_reboot_however_short_the_gap() throws IOException {
        var run = sleeper();
        service.close();
        Files.writeString(home.root().resolve("alive"), "another-boot");
        service = open();
        assertThat(reports(PARENT)).singleElement().satisfies(report -> {
            assertThat(report.pause().kind()).isEqualTo(PauseWindow.Kind.REBOOT);
            assertThat(report.pause().runs()).hasSize(1);
        });
        assertThat(show(run).id()).isEqualTo(run.id());
    }

    @Test
    void a_change_of_the_wall_clock_is_an_event_and_no_pause() {
        var run = sleeper();
        clock.stepWall(Duration.ofHours(3));
        service.sweep();
        clock.stepWall(Duration.ofHours(-3));
        service.sweep();
        assertThat(pauses()).isEmpty();
        assertThat(service.events(run))
                .filteredOn(event -> event.kind().equals("clock_step"))
                .extracting(event -> event.text())
                .containsExactly(
                        "the wall clock was set forward by 3 h 0 min", "the wall clock was set back by 3 h 0 min");
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).isEmpty();
    }

    @Test
    void a_pause_report_is_offered_once_and_wakes_no_session_by_itself() {
        sleeper();
        report(
                new SessionEvent.SessionStarted(),
                new SessionEvent.PromptSubmitted(true),
                new SessionEvent.TurnEnded(true));
        clock.sleepMachine(NIGHT);
        service.sweep();
        var offer = report(new SessionEvent.PromptSubmitted(true)).orElseThrow();
        assertThat(NoticeDigest.of(offer, List.of(), clock.now())).contains("While you were away the machine slept");
        service.sessions().markDelivered(offer);
        report(new SessionEvent.TurnEnded(true));
        assertThat(report(new SessionEvent.PromptSubmitted(true)))
                .as("already offered")
                .isEmpty();
        assertThat(reports(PARENT)).isEmpty();
    }

    private Optional<NoticeOffer> report(SessionEvent... events) {
        Optional<NoticeOffer> last = Optional.empty();
        for (var event : events)
            last = service.sessions()
                    .record(new SessionReport(PARENT, "claude-code", Optional.empty(), Optional.empty(), event))
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
        var announced = service.pause();
        assertThat(announced.remarks()).containsExactly(new PauseWindow.PauseRemark("on_pause was run", false));
        assertThat(Files.readString(scratch.resolve("paused")).strip())
                .isEqualTo(home.root().toString());
        assertThat(service.pause().id()).as("announced once").isEqualTo(announced.id());

        clock.sleepMachine(NIGHT);
        var over = service.resume().orElseThrow();

        assertThat(over.id()).isEqualTo(announced.id());
        assertThat(over.kind()).isEqualTo(PauseWindow.Kind.SLEEP);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(reports(PARENT))
                        .singleElement()
                        .satisfies(report -> assertThat(NoticeDigest.line(report))
                                .contains("on_resume: exit status 3: no", "failed")));
        assertThat(service.resume()).as("the pause is over").isEmpty();
    }

    @Test
    void a_hook_that_exceeds_the_deadline_is_killed_and_gets_a_failure_remark() {
        policy(new PausePolicy(List.of("sh", "-c", "sleep 600 & wait"), List.of(), Duration.ofMillis(300)));
        assertThat(service.pause().remarks()).singleElement().satisfies(remark -> {
            assertThat(remark.failed()).isTrue();
            assertThat(remark.text()).contains("took longer");
        });
    }

    @Test
    void an_announced_pause_that_no_clock_shows_ends_with_resume() {
        sleeper();
        service.pause();
        clock.pass(Duration.ofHours(2)); // a container that was frozen: no clock stood still
        var pause = service.resume().orElseThrow();
        assertThat(pause.kind()).isEqualTo(PauseWindow.Kind.PLANNED);
        assertThat(reports(PARENT)).hasSize(1);
    }
}
