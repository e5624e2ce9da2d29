package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.RestApiFixture;
import dev.roost.daemon.testing.SseReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Following events over HTTP: none is skipped or repeated, and slow or disconnected clients do not affect others. */
class EventsRouteProcessTest extends RestApiFixture {

    private SseReader follow(String path, String token, String... headers) throws Exception {
        var reader = new SseReader(port(), API + path, token, headers);
        assertThat(reader.head).startsWith("HTTP/1.1 200 ").containsIgnoringCase("text/event-stream");
        return reader;
    }

    private String done(String token) throws Exception {
        var run = begin(token, "true");
        ended(operatorsToken(), run);
        return run;
    }

    @Test
    void the_feed_begins_at_the_newest_event_and_has_only_events_of_its_owner() throws Exception {
        var mine = token(BOX);
        done(mine);
        try (var reader = follow("/events", mine);
                var all = follow("/events", operatorsToken())) {
            assertThat(reader.need().name()).isEqualTo("begin");
            all.need();
            var theirs = done(token("claude:other"));
            var run = done(mine);
            var kinds = new ArrayList<String>();
            while (!kinds.contains("ended")) {
                var event = reader.need();
                assertThat(event.data().path("run_id").asString()).isEqualTo(run);
                assertThat(event.data().path("owner").asString()).isEqualTo(BOX);
                assertThat(event.data().path("kind").asString()).isEqualTo(event.name());
                assertThat(event.data().path("seq").asLong()).isEqualTo(event.number());
                kinds.add(event.name());
            }
            assertThat(kinds).containsSubsequence("submitted", "claimed", "began", "ended");
            assertThat(all.need().data().path("run_id").asString()).isEqualTo(theirs);
        }
    }

    @Test
    void a_reader_that_reconnects_continues_after_its_last_event_even_after_a_restart() throws Exception {
        var token = token(BOX);
        long began;
        try (var reader = follow("/events", token)) {
            began = reader.need().number();
        }
        var run = done(token);
        restart();
        for (var way : new String[] {"header", "address"}) {
            try (var reader = way.equals("header")
                    ? follow("/events", token, "Last-Event-ID", Long.toString(began))
                    : follow("/events?after=" + began, token)) {
                assertThat(reader.need().number()).isEqualTo(began);
                assertThat(reader.need().data().path("run_id").asString()).isEqualTo(run);
            }
        }
        try (var reader = follow("/events?after=1", token, "Last-Event-ID", "999999999")) {
            var reset = reader.need();
            assertThat(reset.name()).isEqualTo("reset");
            assertThat(reset.data().path("asked").asLong()).isEqualTo(999_999_999);
            var next = done(token);
            assertThat(reader.need().data().path("run_id").asString()).isEqualTo(next);
        }
        refused(get(API + "/events?after=yesterday", token), 400, "bad_field");
        refused(get(API + "/events", token, "Last-Event-ID", "-1"), 400, "bad_field");
    }

    @Test
    void a_reader_killed_a_hundred_times_under_load_misses_and_repeats_no_event() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        var random = new Random(seed);
        var token = token(BOX);
        var run = done(token);
        var over = new AtomicBoolean();
        var said = new AtomicInteger();
        var seen = new ArrayList<String>();
        var numbers = new ArrayList<Long>();
        try (var threads = Executors.newFixedThreadPool(2)) {
            var last = "";
            try (var reader = follow("/events", token)) {
                last = reader.need().id();
            }
            var load = new ArrayList<Future<?>>();
            for (int i = 0; i < 2; i++) {
                load.add(threads.submit(() -> {
                    while (!over.get()) {
                        var body = object().put("reason", "n" + said.incrementAndGet());
                        write("/runs/" + run + "/stop", token, body);
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 100; i++) {
                try (var reader = follow("/events", token, "Last-Event-ID", last)) {
                    assertThat(reader.need().id()).isEqualTo(last);
                    for (int j = random.nextInt(40); j > 0; j--) last = take(reader, seen, numbers);
                    reader.kill();
                }
            }
            over.set(true);
            for (var one : load) one.get();
            try (var reader = follow("/events", token, "Last-Event-ID", last)) {
                reader.need();
                while (seen.size() < said.get()) take(reader, seen, numbers);
            }
        }
        System.out.println("%d events over 101 connections".formatted(seen.size()));
        var expected = new ArrayList<String>();
        for (int i = 1; i <= said.get(); i++) expected.add("n" + i);
        assertThat(seen).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(numbers).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
    }

    private static String take(SseReader reader, List<String> seen, List<Long> numbers) throws Exception {
        var event = reader.need();
        numbers.add(event.number());
        if (event.name().equals("late_stop")) seen.add(event.data().path("text").asString());
        return event.id();
    }

    @Test
    void output_is_streamed_to_its_end_and_can_be_resumed_in_the_middle() throws Exception {
        var token = token(BOX);
        var go = scratch.resolve("go");
        var run = begin(token, "echo first; while [ ! -e '%s' ]; do sleep 0.05; done; echo zweitens: ü".formatted(go));
        String last;
        try (var reader = follow("/runs/" + run + "/output", token)) {
            var said = new StringBuilder();
            SseReader.Sent event;
            do {
                event = reader.need();
                assertThat(event.name()).isEqualTo("output");
                said.append(event.data().path("text").asString());
            } while (said.indexOf("first") < 0);
            last = event.id();
            reader.kill();
        }
        java.nio.file.Files.createFile(go);
        var rest = new StringBuilder();
        JsonNode end;
        try (var reader = follow("/runs/" + run + "/output?cursor=0", token, "Last-Event-ID", last)) {
            var event = reader.need();
            while (!event.name().equals("end")) {
                rest.append(event.data().path("text").asString());
                event = reader.need();
            }
            end = event.data();
            assertThat(reader.next()).isEmpty();
        }
        assertThat(rest.toString()).contains("zweitens: ü").doesNotContain("first");
        assertThat(end.path("status").asString()).isEqualTo("completed");
        assertThat(end.path("result").asString()).contains("zweitens");
        assertThat(end.has("text")).isFalse();
        await().atMost(SOON).until(() -> !show(run).path("unread").asBoolean());
        try (var reader = follow(
                "/runs/" + run + "/output",
                token,
                "Last-Event-ID",
                Long.toString(end.path("next_cursor").asLong()))) {
            assertThat(reader.need().name()).isEqualTo("end");
        }
    }

    @Test
    void the_number_of_streams_is_limited_and_a_closed_one_frees_its_place() throws Exception {
        var token = token(BOX);
        var run = done(token);
        var open = new ArrayList<SseReader>();
        try {
            for (int i = 0; i < 50; i++) open.add(follow("/events", token));
            for (var reader : open) reader.need();
            refused(get(API + "/events", token), 503, "too_many_streams");
            var others = new String[] {token(BOX), token(BOX), token(BOX)};
            for (int i = 0; i < 150; i++) open.add(follow("/events", others[i % 3]));
            for (var reader : open.subList(50, 200)) reader.need();
            var answer = get(API + "/events", token("claude:other"));
            refused(answer, 503, "too_many_streams");
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            refused(
                    get(API + "/runs/" + run + "/output", token, "Accept", "text/event-stream"),
                    503,
                    "too_many_streams");
            assertThat(read("/runs/" + run, token).path("run_id").asString()).isEqualTo(run);
            write("/runs/" + run + "/stop", token, object().put("reason", "to all"));
            for (var reader : open)
                assertThat(reader.need().data().path("text").asString()).isEqualTo("to all");
            for (var reader : open.subList(0, 50)) reader.kill();
            await().atMost(SOON).until(() -> {
                write("/runs/" + run + "/stop", token, object().put("reason", "who is there"));
                try (var one = new SseReader(port(), API + "/events", token)) {
                    return one.head.startsWith("HTTP/1.1 200 ");
                }
            });
        } finally {
            for (var reader : open) reader.close();
        }
    }
}
