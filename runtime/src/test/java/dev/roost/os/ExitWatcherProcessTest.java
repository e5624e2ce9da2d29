package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.ProcessId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both implementations of the exit watcher. */
@Tag("portable")
class ExitWatcherProcessTest {

    static Stream<ExitWatcher> watchers() {
        return Stream.of(ExitWatcher.open(), new PollingExitWatcher());
    }

    @Tag("linux")
    @Test
    void this_machine_has_pidfds() {
        try (var exits = ExitWatcher.open()) {
            assertThat(exits).isInstanceOf(PidfdExitWatcher.class);
        }
    }

    @ParameterizedTest
    @MethodSource("watchers")
    void an_exit_is_reported_after_it_happened(ExitWatcher exits) throws Exception {
        var process = new ProcessBuilder("sleep", "1000").start();
        var id = Processes.row(process.pid()).orElseThrow().id();
        var reported = new CountDownLatch(1);
        exits.watch(id, reported::countDown);
        assertThat(reported.await(200, TimeUnit.MILLISECONDS)).isFalse();
        process.destroyForcibly();
        assertThat(reported.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Processes.alive(id)).isFalse();
        exits.close();
    }

    @ParameterizedTest
    @MethodSource("watchers")
    void a_process_that_ended_or_whose_pid_was_reused_is_reported_at_once(ExitWatcher exits) {
        var reported = new CountDownLatch(2);
        exits.watch(new ProcessId(ProcessHandle.current().pid(), 1), reported::countDown);
        exits.watch(new ProcessId(4_194_305, 1), reported::countDown);
        assertThat(reported.getCount()).isZero();
        exits.close();
    }
}
