package dev.roost.daemon.sleep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.config.EngineConfig;
import dev.roost.config.PausePolicy;
import dev.roost.config.ProjectLookup;
import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.FakeLogind;
import dev.roost.daemon.testing.PrivateBus;
import dev.roost.daemon.testing.SleepTools;
import dev.roost.home.Home;
import dev.roost.ledger.record.PauseWindow;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.os.SystemClock;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a real bus with a fake logind: checkpoints are made before the machine sleeps. */
class SleepWatchProcessTest {

    private static final long FIVE_SECONDS = 5_000_000;
    private static final long A_MINUTE = 60_000_000;

    @TempDir
    Path scratch;

    private PrivateBus bus;
    private @Nullable RoostService service;
    private final List<LogRecord> log = new java.util.concurrent.CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("dev.roost.daemon.sleep");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            log.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void startBus() throws IOException {
        bus = new PrivateBus(scratch.resolve("bus"));
        logger.setLevel(Level.INFO);
        logger.addHandler(handler);
    }

    @AfterEach
    void end() throws Exception {
        logger.removeHandler(handler);
        if (service != null) service.close();
        bus.goAway();
    }

    private SleepTools tools(List<String> programs) throws IOException {
        return SleepTools.in(scratch.resolve("bin"), programs);
    }

    private SleepWatch watch(SleepTools tools, PausePolicy policy) {
        service = RoostService.open(
                Home.open(scratch.resolve("home")),
                EngineConfig.DEFAULT.with(policy),
                ProjectLookup.NONE,
                new SystemClock());
        return SleepWatch.open(service(), true, tools.environment(bus.address()));
    }

    private RoostService service() {
        return Objects.requireNonNull(service);
    }

    private List<PauseWindow> pauses() {
        return service()
                .activityReports()
                .report(Duration.ofDays(30), Optional.empty(), new Caller(new Owner("cli:operator"), true))
                .pauses();
    }

    private void soon(Callable<Boolean> condition) {
        await().atMost(DaemonFixture.SOON).until(condition);
    }

    private List<String> said() {
        return log.stream().map(LogRecord::getMessage).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gdbus", "dbus-monitor"})
    void the_inhibitor_is_released_only_after_the_preparation_for_sleep(String program) throws Exception {
        var tools = tools(program.equals("gdbus") ? SleepTools.GDBUS : SleepTools.DBUS_MONITOR);
        var policy = new PausePolicy(tools.gated("on_pause"), tools.gated("on_resume"), Duration.ofSeconds(60));
        try (var logind = FakeLogind.on(bus.socket(), A_MINUTE);
                var _ = watch(tools, policy)) {
            soon(() -> tools.record().equals(List.of("taken")));

            logind.prepareForSleep(true);
            soon(() -> tools.record().equals(List.of("taken", "on_pause begins")));
            assertThat(pauses()).singleElement().satisfies(pause -> {
                assertThat(pause.kind()).isEqualTo(PauseWindow.Kind.PLANNED);
                assertThat(pause.endedAt()).isEmpty();
            });
            tools.open("on_pause");
            soon(() -> tools.record().equals(List.of("taken", "on_pause begins", "on_pause ends", "released")));
            assertThat(pauses().getFirst().remarks())
                    .containsExactly(new PauseWindow.PauseRemark("on_pause was run", false));

            tools.open("on_resume");
            logind.prepareForSleep(false);
            soon(() -> tools.record().size() == 7);
            assertThat(tools.record().subList(4, 7))
                    .containsExactlyInAnyOrder("taken", "on_resume begins", "on_resume ends");
            soon(() -> pauses().getFirst().remarks().size() == 2);
            assertThat(pauses())
                    .singleElement()
                    .satisfies(pause -> assertThat(pause.endedAt()).isPresent());
        }
        soon(() -> tools.record().getLast().equals("released"));
        assertThat(said()).containsExactly("logind announces sleep, and waits up to 1 min 0 s");
    }

    @Test
    void the_inhibitor_is_released_even_if_the_hook_fails() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        var fails = List.of(
                tools.script("on_pause", "#!/bin/sh\necho no room; exit 3\n").toString());
        try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS);
                var _ = watch(tools, new PausePolicy(fails, List.of(), Duration.ofSeconds(10)))) {
            soon(() -> tools.record().equals(List.of("taken")));
            logind.prepareForSleep(true);
            soon(() -> tools.record().equals(List.of("taken", "released")));
            assertThat(pauses().getFirst().remarks())
                    .containsExactly(new PauseWindow.PauseRemark("on_pause: exit status 3: no room", true));
        }
    }

    @Test
    void a_hook_that_exceeds_loginds_delay_is_ended_in_time_and_recorded() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        var policy = new PausePolicy(tools.gated("on_pause"), List.of(), Duration.ofHours(1));
        try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS);
                var _ = watch(tools, policy)) {
            soon(() -> tools.record().equals(List.of("taken")));
            logind.prepareForSleep(true);
            soon(() -> tools.record().equals(List.of("taken", "on_pause begins", "released")));
            assertThat(pauses().getFirst().remarks()).singleElement().satisfies(remark -> {
                assertThat(remark.failed()).isTrue();
                assertThat(remark.text()).contains("on_pause: took longer than");
            });
        }
        assertThat(said()).singleElement().asString().contains("waits up to 5 s");
    }

    @Test
    void a_lost_bus_is_reconnected_and_a_missed_resume_ends_the_pause() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        try (var _ = watch(tools, PausePolicy.NONE)) {
            try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS)) {
                soon(() -> tools.record().equals(List.of("taken")));
                logind.prepareForSleep(true);
                soon(() -> tools.record().equals(List.of("taken", "released")));
                bus.goAway();
            }
            assertThat(pauses().getFirst().endedAt()).isEmpty();
            bus.comeBack();
            try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS)) {
                soon(() -> tools.record().equals(List.of("taken", "released", "taken")));
                assertThat(pauses().getFirst().endedAt()).isPresent();
                logind.prepareForSleep(true);
                soon(() -> pauses().size() == 2);
                soon(() -> tools.record().equals(List.of("taken", "released", "taken", "released")));
            }
        }
    }

    @Test
    void only_logind_can_announce_a_sleep() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS);
                var otherSender = FakeLogind.otherSender(bus.socket());
                var _ = watch(tools, PausePolicy.NONE)) {
            soon(() -> tools.record().equals(List.of("taken")));
            otherSender.prepareForSleep(true);
            logind.prepareForSleep(false); // arrives after the other sender's signal
            logind.prepareForSleep(true);
            soon(() -> tools.record().equals(List.of("taken", "released")));
            assertThat(pauses()).hasSize(1);
        }
    }

    @Test
    void without_an_inhibitor_the_preparation_for_sleep_runs_anyway() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        tools.script("systemd-inhibit", "#!/bin/sh\necho Access denied >&2; exit 1\n");
        try (var logind = FakeLogind.on(bus.socket(), FIVE_SECONDS);
                var _ = watch(tools, PausePolicy.NONE)) {
            soon(() -> said().size() == 2);
            logind.prepareForSleep(true);
            soon(() -> pauses().size() == 1);
            logind.prepareForSleep(false);
            soon(() -> pauses().getFirst().endedAt().isPresent());
        }
        assertThat(log).hasSize(2).allMatch(record -> record.getLevel().equals(Level.INFO));
        assertThat(log.getLast().getParameters()).containsExactly("systemd-inhibit ended with status 1 Access denied");
    }

    @Test
    void without_logind_bus_or_programs_it_logs_one_line_and_has_no_process() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        try (var _ = watch(tools, PausePolicy.NONE)) {
            soon(() -> said().equals(List.of("sleep is not announced: logind does not answer on the system bus")));
        }
        log.clear();
        var nowhere = tools.environment("unix:path=" + scratch.resolve("nowhere"));
        try (var _ = SleepWatch.open(service(), true, nowhere)) {
            soon(() -> said().equals(List.of("sleep is not announced: there is no system bus")));
        }
        log.clear();
        Files.delete(scratch.resolve("bin/gdbus"));
        try (var _ = SleepWatch.open(service(), true, tools.environment(bus.address()))) {
            assertThat(said()).containsExactly("sleep is not announced: neither gdbus nor dbus-monitor is installed");
        }
        log.clear();
        try (var _ = SleepWatch.open(service(), false, Map.of())) {
            assertThat(log).isEmpty();
        }
        assertThat(tools.record()).isEmpty();
    }

    @Test
    void a_logind_that_starts_later_is_found() throws Exception {
        var tools = tools(SleepTools.GDBUS);
        try (var _ = watch(tools, PausePolicy.NONE)) {
            soon(() -> said().size() == 1);
            try (var _ = FakeLogind.on(bus.socket(), FIVE_SECONDS)) {
                soon(() -> tools.record().equals(List.of("taken")));
            }
        }
    }
}
