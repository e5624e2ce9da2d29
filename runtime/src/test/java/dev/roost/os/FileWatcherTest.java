package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("portable")
class FileWatcherTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** More events than the queue keeps: after the overflow the affected directories are unknown. */
    private static final int TOO_MANY = 2_000;

    @TempDir
    Path scratch;

    static Stream<FileWatcher> watchers() {
        return Stream.of(FileWatcher.open(), new PollingFileWatcher());
    }

    @ParameterizedTest
    @MethodSource("watchers")
    void creation_growth_and_rename_of_a_file_are_reported(FileWatcher watcher) throws Exception {
        var reports = new AtomicInteger();
        var directory = Files.createDirectory(scratch.resolve("watched"));
        var elsewhere = Files.writeString(scratch.resolve("elsewhere"), "x");
        try (var events = watcher;
                var _ = events.watch(directory, reports::incrementAndGet)) {
            assertReported(reports, () -> Files.createFile(directory.resolve("out")));
            assertReported(
                    reports, () -> Files.writeString(directory.resolve("out"), "more", StandardOpenOption.APPEND));
            assertReported(reports, () -> Files.move(elsewhere, directory.resolve("exit")));
        }
        int before = reports.get();
        Files.createFile(directory.resolve("late"));
        assertThat(reports).as("a closed watch reports nothing").hasValue(before);
    }

    private static void assertReported(AtomicInteger reports, Callable<Path> change) throws Exception {
        int before = reports.get();
        change.call();
        await().atMost(SOON).until(() -> reports.get() > before);
    }

    @Test
    void two_watches_of_one_directory_are_both_notified() throws Exception {
        var one = new AtomicInteger();
        var other = new AtomicInteger();
        try (var events = new PollingFileWatcher();
                var _ = events.watch(scratch, one::incrementAndGet);
                var _ = events.watch(scratch, other::incrementAndGet)) {
            Files.createFile(scratch.resolve("out"));
            await().atMost(SOON).until(() -> one.get() > 0 && other.get() > 0);
        }
    }

    @Tag("linux")
    @Test
    void an_overflow_notifies_every_watch() throws Exception {
        try (var events = FileWatcher.open()) {
            var held = new CountDownLatch(1);
            var holding = new CountDownLatch(1);
            var slow = Files.createDirectory(scratch.resolve("slow"));
            var busy = Files.createDirectory(scratch.resolve("busy"));
            var silent = Files.createDirectory(scratch.resolve("silent"));
            var reports = new AtomicInteger();
            try (var _ = events.watch(slow, () -> {
                        holding.countDown();
                        try {
                            held.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    var _ = events.watch(busy, () -> {});
                    var _ = events.watch(silent, reports::incrementAndGet)) {
                Files.createFile(slow.resolve("hold"));
                holding.await();
                for (int i = 0; i < TOO_MANY; i++) Files.createFile(busy.resolve(Integer.toString(i)));
                assertThat(reports).hasValue(0);
                held.countDown();
                await().atMost(SOON).until(() -> reports.get() > 0);
            }
        }
    }
}
