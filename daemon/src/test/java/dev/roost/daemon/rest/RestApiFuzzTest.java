package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.MalformedRequests;
import dev.roost.daemon.testing.RestApiFixture;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Ten thousand malformed requests: none breaks anything or reveals another owner's data. */
class RestApiFuzzTest extends RestApiFixture {

    private static final int REQUESTS = 10_000;
    private static final int THREADS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private String http(HttpClient http, MalformedRequests malformedRequests, String token) throws Exception {
        HttpRequest request;
        var wanted = malformedRequests.request();
        try {
            request = HttpRequest.newBuilder(URI.create(address + wanted.address()))
                    .header("Authorization", "Bearer " + token)
                    .timeout(Duration.ofSeconds(30))
                    .method(wanted.method(), HttpRequest.BodyPublishers.ofString(wanted.body()))
                    .build();
        } catch (IllegalArgumentException e) {
            return ""; // no client sends that
        }
        try {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (var body = answer.body()) { // a followed stream has no end
                boolean endless = answer.headers()
                        .firstValue("Content-Type")
                        .filter("text/event-stream"::equals)
                        .isPresent();
                var text = new String(endless ? body.readNBytes(2) : body.readAllBytes(), StandardCharsets.UTF_8);
                return "HTTP/1.1 %d \n%s\n%s".formatted(answer.statusCode(), answer.headers(), text);
            }
        } catch (IOException e) {
            return ""; // a megabyte for an address that takes nothing is not listened to
        }
    }

    private String address = "";

    private record Census(long threads, long files) {}

    private Census census() throws IOException {
        var process = Path.of("/proc/" + daemon.pid());
        long threads = Files.readAllLines(process.resolve("status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
        try (var files = Files.list(process.resolve("fd"))) {
            return new Census(threads, files.count());
        }
    }

    @Test
    void random_requests_break_nothing_and_leak_nothing() throws Exception {
        long seed = Long.getLong("roost.seed", System.nanoTime());
        System.out.println("seed " + seed);
        address = address();
        int port = port();
        var mine = token(scope(BOX).put("max_live", 2));
        var theirs = token("claude:other");
        var secret = write(
                        "/runs",
                        theirs,
                        script("echo hushhush").put("name", "hushname").put("description", "hushwords"))
                .path("run_id")
                .asString();
        ended(operatorsToken(), secret);
        var run = begin(mine, "echo mine");
        ended(mine, run);
        for (int i = 0; i < 200; i++)
            exchange(port, new MalformedRequests(i, mine, "127.0.0.1:" + port, run, secret).bytes(), PATIENCE);
        var before = census();
        long began = System.nanoTime();
        var statuses = new TreeMap<String, Integer>();
        try (var threads = Executors.newFixedThreadPool(THREADS);
                var http = HttpClient.newHttpClient()) {
            var parts = new ArrayList<Future<List<String>>>();
            for (int i = 0; i < THREADS; i++) {
                boolean operator = i == 0; // the operator may see everything, but malformed requests are refused too
                var token = operator ? operatorsToken() : mine;
                var malformedRequests =
                        new MalformedRequests(seed + i, token, "127.0.0.1:" + port, run, secret, "hushname");
                parts.add(threads.submit(() -> {
                    var all = new ArrayList<String>();
                    for (int j = 0; j < REQUESTS / THREADS; j++) {
                        var answer = j % 4 == 0
                                ? http(http, malformedRequests, token)
                                : exchange(port, malformedRequests.bytes(), PATIENCE);
                        all.add(
                                operator
                                        ? checked(answer, seed, mine, token)
                                        : checked(
                                                answer, seed, mine, operatorsToken(), secret, "hushhush", "hushwords"));
                    }
                    return all;
                }));
            }
            for (var part : parts) for (var status : part.get()) statuses.merge(status, 1, Integer::sum);
        }
        System.out.println("%s in %d ms".formatted(statuses, (System.nanoTime() - began) / 1_000_000));
        assertThat(statuses.keySet()).contains("200", "400", "401", "403", "404", "405", "415");

        assertThat(get("/healthz", "").body()).isEqualTo("ok");
        for (var live : read("/runs", operatorsToken()).path("runs"))
            if (!live.has("ended_at"))
                write("/runs/" + live.path("run_id").asString() + "/stop", operatorsToken(), object());
        assertThat(ended(mine, begin(mine, "echo still here")).path("result").asString())
                .contains("still here");
        assertThat(read("/runs/" + secret, theirs).path("unread").asBoolean()).isTrue();
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var after = census();
            assertThat(after.files()).isLessThanOrEqualTo(before.files() + 8);
            assertThat(after.threads()).isLessThanOrEqualTo(before.threads() + 8);
        });
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain(mine, "a request failed");
    }

    /** The status of an answer in which nothing is that should not be. */
    private static String checked(String answer, long seed, String... secrets) {
        if (answer.isEmpty()) return "none";
        var last = answer.replaceFirst("(?s)^HTTP/1\\.1 100 .*?\r\n\r\n", "");
        if (last.isEmpty()) return "none";
        var status = last.replaceFirst("(?s)^HTTP/1\\.[01] (\\d+).*", "$1");
        assertThat(status).as("seed %d: %s", seed, answer).matches("[234]\\d\\d|501|503");
        // the answer may contain the run id of the request, in "There is no run …"
        assertThat(answer.replaceAll("There is no run[^.]*\\.", ""))
                .as("seed %d", seed)
                .doesNotContain(secrets)
                .doesNotContain("\tat ", "at dev.roost", "at java.base", "\nX-Injected:");
        return status;
    }
}
