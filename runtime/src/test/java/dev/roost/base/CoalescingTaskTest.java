package dev.roost.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CoalescingTaskTest {

    private final CoalescingTask once = new CoalescingTask();
    private final AtomicInteger done = new AtomicInteger();

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void who_asks_while_it_is_done_does_not_wait_and_has_it_done_after_that_by_somebody_else() throws Exception {
        var begun = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        var first = Thread.ofPlatform()
                .start(() -> once.soon(() -> {
                    workers.add(Thread.currentThread());
                    begun.countDown();
                    pass(asked);
                    done.incrementAndGet();
                }));
        begun.await();
        for (int i = 0; i < 10; i++) once.soon(() -> done.addAndGet(100));
        assertThat(done).as("it does not wait").hasValue(0);
        asked.countDown();
        await().until(() -> done.get() == 2);
        first.join();
        assertThat(workers).as("nobody is kept busy by others").hasSize(2).contains(first);
        once.now(done::incrementAndGet);
        assertThat(done).as("all ten together once").hasValue(3);
    }

    @Test
    void who_waits_for_it_has_it_done_by_one_who_began_later() throws Exception {
        var begun = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        var first = Thread.ofVirtual()
                .start(() -> once.soon(() -> {
                    begun.countDown();
                    pass(asked);
                }));
        begun.await();
        var waiting = Thread.ofVirtual().start(() -> once.now(done::incrementAndGet));
        assertThat(done).hasValue(0);
        asked.countDown();
        waiting.join();
        first.join();
        assertThat(done).hasValue(1);
    }

    @Test
    void after_one_that_went_wrong_it_is_done_again() {
        assertThatThrownBy(() -> once.soon(() -> {
                    throw new IllegalStateException("the database is away");
                }))
                .isInstanceOf(IllegalStateException.class);
        once.soon(done::incrementAndGet);
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
                    once.soon(() -> seen.set(wanted.get()));
                }
            }));
        for (var thread : threads) thread.join();
        await().until(() -> seen.get() == 8_000);
    }
}
