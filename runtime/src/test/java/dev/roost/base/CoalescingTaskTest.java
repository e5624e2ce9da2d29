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

    private final CoalescingTask task = new CoalescingTask();
    private final AtomicInteger done = new AtomicInteger();

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void requests_during_a_run_return_at_once_and_are_merged_into_one_run_of_another_thread() throws Exception {
        var started = new CountDownLatch(1);
        var released = new CountDownLatch(1);
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        var first = Thread.ofPlatform()
                .start(() -> task.soon(() -> {
                    workers.add(Thread.currentThread());
                    started.countDown();
                    pass(released);
                    done.incrementAndGet();
                }));
        started.await();
        for (int i = 0; i < 10; i++) task.soon(() -> done.addAndGet(100));
        assertThat(done).as("a request does not wait").hasValue(0);
        released.countDown();
        await().until(() -> done.get() == 2);
        first.join();
        assertThat(workers)
                .as("the first thread does not run the tasks of others")
                .hasSize(2)
                .contains(first);
        task.now(done::incrementAndGet);
        assertThat(done).as("one run for all ten requests").hasValue(3);
    }

    @Test
    void a_waiting_request_gets_a_run_that_starts_after_the_request() throws Exception {
        var started = new CountDownLatch(1);
        var released = new CountDownLatch(1);
        var first = Thread.ofVirtual()
                .start(() -> task.soon(() -> {
                    started.countDown();
                    pass(released);
                }));
        started.await();
        var waiting = Thread.ofVirtual().start(() -> task.now(done::incrementAndGet));
        assertThat(done).hasValue(0);
        released.countDown();
        waiting.join();
        first.join();
        assertThat(done).hasValue(1);
    }

    @Test
    void a_failed_run_does_not_block_the_next_one() {
        assertThatThrownBy(() -> task.soon(() -> {
                    throw new IllegalStateException("the database is unreachable");
                }))
                .isInstanceOf(IllegalStateException.class);
        task.soon(done::incrementAndGet);
        assertThat(done).hasValue(1);
    }

    @Test
    void no_request_is_lost() throws InterruptedException {
        var wanted = new AtomicInteger();
        var seen = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 8; i++)
            threads.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 1_000; j++) {
                    wanted.incrementAndGet();
                    task.soon(() -> seen.set(wanted.get()));
                }
            }));
        for (var thread : threads) thread.join();
        await().until(() -> seen.get() == 8_000);
    }
}
