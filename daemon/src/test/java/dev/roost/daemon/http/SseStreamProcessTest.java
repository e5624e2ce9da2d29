package dev.roost.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.RestApiFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Open streams: access, duration and cost. */
class SseStreamProcessTest extends RestApiFixture {

    @Override
    public boolean sharesDaemon() {
        return true;
    }

    private static final Duration SENT_AWAY_WITHIN = Duration.ofSeconds(25); // a heartbeat and a check, with a margin

    /** A browser's stream, read off a socket. */
    private final class Stream implements AutoCloseable {
        private final Socket socket;
        private final BufferedReader lines;
        private final String status;

        Stream(String path, String... headers) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port());
            socket.setSoTimeout(30_000);
            var head = new StringBuilder("GET %s HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n".formatted(path, port()));
            for (int i = 0; i < headers.length; i += 2) head.append("%s: %s\r\n".formatted(headers[i], headers[i + 1]));
            socket.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.UTF_8));
            lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            status = String.valueOf(lines.readLine());
        }

        /** Reads until nothing more comes; false if something still does after a while. */
        boolean ends() {
            long began = System.nanoTime();
            try {
                while (System.nanoTime() - began < SENT_AWAY_WITHIN.toNanos())
                    if (lines.readLine() == null) return true;
                return false;
            } catch (IOException e) {
                return false;
            }
        }

        void awaitLine(String beginning) throws IOException {
            for (var line = lines.readLine(); line != null; line = lines.readLine())
                if (line.startsWith(beginning)) return;
            throw new AssertionError("ended before " + beginning);
        }

        @Override
        public void close() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    private String cookie() throws Exception {
        var link = call("web", operator()).path("link").asString();
        return cookie(send(HttpRequest.newBuilder(URI.create(link))));
    }

    private static String cookie(java.net.http.HttpResponse<String> answer) {
        var set = answer.headers().firstValue("Set-Cookie").orElseThrow();
        return set.substring(0, set.indexOf(';'));
    }

    private void revokeAll() throws IOException {
        for (var token : call("tokens", operator()).path("tokens"))
            call(
                    "token_revoke",
                    operator().put("token_id", token.path("token_id").asString()));
    }

    @Test
    void revoking_a_sign_in_ends_its_open_streams() throws Exception {
        var chatty = sh("while :; do echo word; sleep 0.1; done");
        var cookie = cookie();
        var token = token(PARENT);
        var bearer = new String[] {"Authorization", "Bearer " + token, "Accept", "text/event-stream"};
        try (var fleet = new Stream("/live", "Cookie", cookie);
                var run = new Stream("/runs/" + chatty + "/live", "Cookie", cookie);
                var events = new Stream(API + "/events", bearer);
                var output = new Stream(API + "/runs/" + chatty + "/output", bearer)) {
            for (var stream : new Stream[] {fleet, run, events, output})
                assertThat(stream.status).contains(" 200 ");
            revokeAll();
            for (var stream : new Stream[] {fleet, run, events, output})
                assertThat(stream.ends()).isTrue();
        }
        assertThat(status(chatty)).isEqualTo("running");
    }

    @Test
    void signing_in_again_ends_the_previous_session() throws Exception {
        var first = cookie();
        var link = call("web", operator()).path("link").asString();
        var second = cookie(send(HttpRequest.newBuilder(URI.create(link)).header("Cookie", first)));
        assertThat(second).isNotEqualTo(first);
        assertThat(call("tokens", operator()).path("tokens").size()).isEqualTo(1);
        var stale = HttpRequest.newBuilder(URI.create(address() + "/")).header("Cookie", first);
        assertThat(send(stale).statusCode()).isEqualTo(401);
    }

    @Test
    void a_page_of_a_silent_run_gets_no_traffic_from_other_runs() throws Exception {
        var still = sh("sleep 600");
        for (int i = 0; i < 5; i++) sh("while :; do echo noise; sleep 0.01; done");
        try (var page = new Stream("/runs/" + still + "/live", "Cookie", cookie())) {
            page.awaitLine("event: regions");
            page.socket.setSoTimeout(4_000);
            int beats = 0;
            try {
                for (var line = page.lines.readLine(); line != null && beats < 20; line = page.lines.readLine())
                    if (line.startsWith(":")) beats++;
            } catch (java.net.SocketTimeoutException e) {
                // as it should be
            }
            assertThat(beats).isLessThan(3);
        }
    }

    @Test
    void a_page_gets_the_end_of_long_output_and_a_mark_for_the_omitted_part() throws Exception {
        var run = sh("head -c 60000000 /dev/zero | tr '\\0' 'x'; echo; echo the last line");
        awaitEnd(run);
        try (var page = new Stream("/runs/" + run + "/live?cursor=0", "Cookie", cookie())) {
            page.awaitLine("event: skipped");
            int said = 0;
            for (var line = page.lines.readLine(); !line.contains("the last line"); line = page.lines.readLine())
                said += line.length();
            assertThat(said).isLessThan(200_000);
        }
    }

    @Test
    void three_hundred_dropped_connections_leave_nothing_behind() throws Exception {
        var run = sh("while :; do echo word; sleep 0.2; done");
        var cookie = cookie();
        try (var _ = new Stream("/live", "Cookie", cookie)) {
            // loads classes that are loaded once
        }
        int before = openFiles();
        var refused = 0;
        for (int round = 0; round < 3; round++) {
            var open = new ArrayList<Stream>();
            for (int i = 0; i < 100; i++)
                open.add(new Stream(i % 2 == 0 ? "/live" : "/runs/" + run + "/live", "Cookie", cookie));
            for (var stream : open) if (!stream.status.contains(" 200 ")) refused++;
            for (var stream : open) stream.close();
            await().atMost(SENT_AWAY_WITHIN).until(() -> openFiles() <= before + 5);
        }
        assertThat(refused).isLessThan(5);
        try (var again = new Stream("/live", "Cookie", cookie)) {
            assertThat(again.status).contains(" 200 ");
        }
    }

    private int openFiles() throws IOException {
        try (var all = Files.list(Path.of("/proc/%d/fd".formatted(daemon.pid())))) {
            return (int) all.count();
        }
    }

    @Test
    void one_page_too_many_is_told_to_retry_and_not_that_it_is_forbidden() throws Exception {
        var cookie = cookie();
        var open = new ArrayList<Stream>();
        try {
            for (int i = 0; i < 100; i++) open.add(new Stream("/live", "Cookie", cookie));
            try (var more = new Stream("/live", "Cookie", cookie)) {
                assertThat(more.status).contains(" 503 ");
                more.awaitLine("Retry-after");
            }
        } finally {
            for (var stream : open) stream.close();
        }
        await().atMost(SOON)
                .until(
                        () -> { // the daemon notices a closed stream when it sends the next line
                            try (var next = new Stream("/live", "Cookie", cookie)) {
                                return next.status.contains(" 200 ");
                            }
                        });
    }

    @Test
    void a_stop_that_came_too_late_is_reported_as_such() throws Exception {
        var run = sh("echo done");
        awaitEnd(run);
        var token = token(PARENT);
        var stopped = write("/runs/" + run + "/stop", token, object().put("reason", "bored"));
        assertThat(stopped.path("status").asString()).isEqualTo("completed");
        var kinds = new ArrayList<String>();
        show(run).path("timeline").forEach(event -> kinds.add(event.path("kind").asString()));
        assertThat(kinds).contains("late_stop").doesNotContain("stop_reason");
        var page = HttpRequest.newBuilder(URI.create(address() + "/runs/" + run + "/stop"))
                .header("Cookie", cookie())
                .header("Origin", address())
                .header("HX-Request", "true")
                .POST(HttpRequest.BodyPublishers.noBody());
        assertThat(send(page).body()).contains("had ended already");
    }

    @Test
    void a_negative_cursor_is_refused_everywhere() throws Exception {
        var run = sh("echo hello");
        awaitEnd(run);
        var token = token(PARENT);
        refused(get(API + "/runs/" + run + "/output?cursor=-5", token), 400, "bad_field");
        refused(
                get(API + "/runs/" + run + "/output?cursor=-5", token, "Accept", "text/event-stream"),
                400,
                "bad_field");
        refused(
                get(API + "/runs/" + run + "/output", token, "Accept", "text/event-stream", "Last-Event-ID", "-5"),
                400,
                "bad_field");
    }
}
