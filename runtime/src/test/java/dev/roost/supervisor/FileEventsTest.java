package dev.roost.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileEventsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** More events at once than are kept for a directory: which ones, and whose, is not known any more. */
    private static final int TOO_MANY = 2_000;

    @TempDir
    Path scratch;

    @Test
    void after_an_overflow_everybody_looks_once() throws Exception {
        try (var events = new FileEvents()) {
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
