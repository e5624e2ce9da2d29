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

    /** More events at once than are kept for a directory: which ones, and whose, is not known any more. */
    private static final int TOO_MANY = 2_000;

    @TempDir
    Path scratch;

    static Stream<FileWatcher> means() {
        return Stream.of(FileWatcher.open(), new PollingFileWatcher());
    }

    @ParameterizedTest
    @MethodSource("means")
    void what_is_made_grows_or_comes_by_rename_is_told(FileWatcher means) throws Exception {
        var looks = new AtomicInteger();
        var directory = Files.createDirectory(scratch.resolve("watched"));
        var elsewhere = Files.writeString(scratch.resolve("elsewhere"), "x");
        try (var events = means;
                var _ = events.watch(directory, looks::incrementAndGet)) {
            assertTold(looks, () -> Files.createFile(directory.resolve("out")));
            assertTold(looks, () -> Files.writeString(directory.resolve("out"), "more", StandardOpenOption.APPEND));
            assertTold(looks, () -> Files.move(elsewhere, directory.resolve("exit")));
        }
        int before = looks.get();
        Files.createFile(directory.resolve("late"));
        assertThat(looks).as("a closed watch tells nothing").hasValue(before);
    }

    private static void assertTold(AtomicInteger looks, Callable<Path> change) throws Exception {
        int before = looks.get();
        change.call();
        await().atMost(SOON).until(() -> looks.get() > before);
    }

    @Test
    void two_who_watch_one_directory_are_both_told() throws Exception {
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
    void after_an_overflow_everybody_looks_once() throws Exception {
        try (var events = FileWatcher.open()) {
            var held = new CountDownLatch(1);
            var holding = new CountDownLatch(1);
            var slow = Files.createDirectory(scratch.resolve("slow"));
            var busy = Files.createDirectory(scratch.resolve("busy"));
            var silent = Files.createDirectory(scratch.resolve("silent"));
            var looks = new AtomicInteger();
            try (var _ = events.watch(slow, () -> {
                        holding.countDown();
                        try {
                            held.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    var _ = events.watch(busy, () -> {});
                    var _ = events.watch(silent, looks::incrementAndGet)) {
                Files.createFile(slow.resolve("hold"));
                holding.await();
                for (int i = 0; i < TOO_MANY; i++) Files.createFile(busy.resolve(Integer.toString(i)));
                assertThat(looks).hasValue(0);
                held.countDown();
                await().atMost(SOON).until(() -> looks.get() > 0);
            }
        }
    }
}
