package dev.roost.daemon.sleep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import dev.roost.daemon.testing.FakeLogind;
import dev.roost.daemon.testing.PrivateBus;
import dev.roost.daemon.testing.SleepTools;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The processes that watch for sleep end with the daemon, however it ends. */
class DaemonSleepProcessTest extends DaemonFixture {

    private PrivateBus bus;
    private FakeLogind logind;
    private SleepTools tools;
    private final Map<String, String> more = new HashMap<>();

    @Override
    @BeforeEach
    public void startDaemon() throws IOException {
        bus = new PrivateBus(scratch.resolve("bus"));
        logind = FakeLogind.on(bus.socket(), 5_000_000);
        tools = SleepTools.in(scratch.resolve("bin"), SleepTools.GDBUS);
        super.startDaemon();
    }

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(tools.environment(bus.address()));
        settings.put("PATH", tools.directory() + ":" + System.getenv("PATH"));
        settings.putAll(more);
        return settings;
    }

    @Override
    @AfterEach
    public void endDaemon() throws Exception {
        super.endDaemon();
        logind.close();
        bus.goAway();
    }

    /** The shell and its gdbus, the inhibitor and its cat. */
    private List<ProcessHandle> helpers() {
        await().atMost(SOON)
                .until(() -> tools.record().equals(List.of("taken"))
                        && daemon.descendants().count() == 4);
        return daemon.descendants().toList();
    }

    private static void gone(List<ProcessHandle> processes) {
        await().atMost(SOON).until(() -> processes.stream().noneMatch(one -> alive(one.pid())));
    }

    @Test
    void a_daemon_that_is_killed_leaves_no_listener_and_no_inhibitor() throws Exception {
        var helpers = helpers();
        kill9();
        gone(helpers);
        assertThat(tools.record()).containsExactly("taken", "released");
    }

    @Test
    void a_stopped_daemon_leaves_no_listener_and_no_inhibitor_either() throws Exception {
        var helpers = helpers();
        call("shutdown", params());
        disconnect();
        assertThat(daemon.waitFor()).isZero();
        assertThat(helpers).noneMatch(one -> alive(one.pid()));
        assertThat(tools.record()).containsExactly("taken", "released");
    }

    @Test
    void the_preparation_for_sleep_runs_and_can_be_turned_off() throws Exception {
        helpers();
        logind.prepareForSleep(true);
        await().atMost(SOON).until(() -> tools.record().equals(List.of("taken", "released")));
        logind.prepareForSleep(false);
        await().atMost(SOON).until(() -> tools.record().equals(List.of("taken", "released", "taken")));
        kill9();

        more.put("ROOST_SLEEP_SIGNALS", "off");
        daemon = start();
        assertThat(call("status", params()).path("pid").asLong()).isEqualTo(daemon.pid());
        assertThat(daemon.descendants()).isEmpty();
        assertThat(Files.readString(home.resolve("logs/daemon.0.log"))).containsOnlyOnce("logind announces sleep");
    }
}
