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

/** Both means of seeing a process end. */
@Tag("portable")
class ExitWatcherProcessTest {

    static Stream<ExitWatcher> means() {
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
    @MethodSource("means")
    void the_end_of_a_process_is_told_once_it_has_happened(ExitWatcher exits) throws Exception {
        var process = new ProcessBuilder("sleep", "1000").start();
        var id = Processes.row(process.pid()).orElseThrow().id();
        var told = new CountDownLatch(1);
        exits.watch(id, told::countDown);
        assertThat(told.await(200, TimeUnit.MILLISECONDS)).isFalse();
        process.destroyForcibly();
        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Processes.alive(id)).isFalse();
        exits.close();
    }

    @ParameterizedTest
    @MethodSource("means")
    void a_process_that_is_gone_or_is_another_one_by_now_is_told_at_once(ExitWatcher exits) {
        var told = new CountDownLatch(2);
        exits.watch(new ProcessId(ProcessHandle.current().pid(), 1), told::countDown);
        exits.watch(new ProcessId(4_194_305, 1), told::countDown);
        assertThat(told.getCount()).isZero();
        exits.close();
    }
}
