package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OnceMoreTest {

    private final OnceMore once = new OnceMore();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void who_asks_while_it_is_done_does_not_wait_and_has_it_done_after_that() throws InterruptedException {
        var begun = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        var first = Thread.ofVirtual()
                .start(() -> once.run(() -> {
                    begun.countDown();
                    await(asked);
                    done.incrementAndGet();
                }));
        begun.await();
        for (int i = 0; i < 10; i++) once.run(() -> done.addAndGet(100));
        assertThat(done).as("it does not wait").hasValue(0);
        asked.countDown();
        first.join();
        assertThat(done).as("all ten together once").hasValue(2);
        once.run(done::incrementAndGet);
        assertThat(done).hasValue(3);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void after_one_that_went_wrong_it_is_done_again() {
        assertThatThrownBy(() -> once.run(() -> {
                    throw new IllegalStateException("the database is away");
                }))
                .isInstanceOf(IllegalStateException.class);
        once.run(done::incrementAndGet);
        assertThat(done).hasValue(1);
    }

    @Test
    void nobodys_question_is_forgotten() throws InterruptedException {
        var wanted = new AtomicInteger();
        var seen = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++)
            threads.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 1_000; j++) {
                    wanted.incrementAndGet();
                    once.run(() -> seen.set(wanted.get()));
                }
            }));
        for (var thread : threads) thread.join();
        assertThat(seen.get()).isEqualTo(8_000);
    }
}
