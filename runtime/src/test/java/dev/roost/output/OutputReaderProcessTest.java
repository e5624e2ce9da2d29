package dev.roost.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Status;
import dev.roost.service.RealProcessFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads the output of live and ended runs, with one and with many readers. */
@Tag("portable")
class OutputReaderProcessTest extends RealProcessFixture {

    @Test
    void half_a_character_does_not_wake_a_reader() {
        var run = sh("printf 'caf\\303'; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; printf '\\251\\n'");
        var first =
                service.output(show(run), new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.NEWS, SOON));
        assertThat(first.text()).isEqualTo("caf");
        var second = service.output(
                show(run),
                new OutputPage.Request(
                        Optional.empty(), first.nextCursor(), OutputPage.WaitMode.NEWS, Duration.ofSeconds(1)));
        assertThat(second.timedOut()).isTrue();
        touch("go");
        var third = service.output(
                show(run),
                new OutputPage.Request(Optional.empty(), first.nextCursor(), OutputPage.WaitMode.NEWS, SOON));
        assertThat(third.text()).isEqualTo("é\n");
    }

    @Test
    void reading_a_live_run_does_not_mark_it_read_and_only_its_owner_can() {
        var run = sh("echo so far; sleep 1000");
        await().until(() ->
                service.output(show(run), OutputPage.Request.now()).text().equals("so far\n"));
        service.markRead(show(run), 1, AS_PARENT);
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);

        service.stop(show(run), AS_PARENT);
        service.markRead(show(run), 1, AS_OPERATOR);
        assertThat(show(run).latest().unread())
                .as("the operator's reading clears nothing")
                .isTrue();
        service.markRead(show(run), 1, AS_PARENT);
        assertThat(show(run).latest().unread()).isFalse();
        assertThat(service.inbox(Optional.empty(), AS_OPERATOR)).isEmpty();
        assertThat(result(run)).isEqualTo("so far\n");
    }

    @Test
    void output_after_a_cursor_is_read_without_splitting_characters() {
        var run = sh("printf 'z\\303'; sleep 0.3; printf '\\274rich\\n'; sleep 0.2; echo ende");
        var text = new StringBuilder();
        long cursor = 0;
        while (true) {
            var output = service.output(
                    show(run), new OutputPage.Request(Optional.empty(), cursor, OutputPage.WaitMode.NEWS, SOON));
            text.append(output.text());
            cursor = output.nextCursor();
            if (output.attempt().status().ended()) break;
        }
        assertThat(text).hasToString("zürich\nende\n");
    }

    @Test
    void a_cursor_ahead_of_the_recorded_output_does_not_go_back() {
        var run = sh("echo one; sleep 1000");
        await().untilAsserted(
                        () -> assertThat(service.outputFile(run)).content().isEqualTo("one\n"));
        var ahead = new OutputPage.Request(Optional.empty(), 1000, OutputPage.WaitMode.NOW, SOON);
        assertThat(service.output(show(run), ahead).nextCursor()).isEqualTo(1000);
        assertThat(service.output(show(run), ahead).text()).isEmpty();
        service.stop(show(run), AS_PARENT);
        assertThat(service.output(show(run), ahead).nextCursor())
                .as("the length of an ended run's output is final")
                .isEqualTo(4);
    }

    @Test
    void a_blocked_read_that_times_out_returns_the_current_state() {
        var run = sh("sleep 1000");
        var output = service.output(
                show(run), new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, Duration.ofSeconds(1)));
        assertThat(output.timedOut()).isTrue();
        assertThat(output.waited().orElseThrow()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(output.run().status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void fifty_readers_blocked_on_five_runs_all_return_with_the_end_and_none_sees_running_afterwards()
            throws Exception {
        var runs = new ArrayList<RunRecord>();
        for (int i = 0; i < 5; i++) runs.add(sh("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.02; done; echo done"));
        runs.forEach(this::awaitBegun);
        var ended = new ConcurrentLinkedQueue<RunRecord>();
        var lies = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var readers = new ArrayList<Future<OutputPage>>();
            for (int i = 0; i < 50; i++) {
                var run = runs.get(i % 5);
                readers.add(threads.submit(() -> {
                    var output = service.output(
                            run, new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, SOON));
                    ended.add(output.run());
                    for (var known : ended) if (!show(known).status().ended()) lies.set(true);
                    return output;
                }));
            }
            touch("go");
            for (var run : runs)
                await().atMost(SOON).until(() -> show(run).status().ended());
            var deadline = System.nanoTime() + SOON.toNanos();
            for (var reader : readers) {
                var output = reader.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                assertThat(output.timedOut()).isFalse();
                assertThat(output.result()).contains("done\n");
            }
        }
        assertThat(lies).isFalse();
    }
}
