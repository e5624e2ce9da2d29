package dev.roost.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.roost.daemon.testing.HttpFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntUnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Delivery of notices by a command and by a webhook: each arrives once despite failures and crashes. */
class DeliveryWorkerProcessTest extends HttpFixture {

    private static final String SECRET = "s3cret-of-the-test";

    private void serveWith(String notify) throws Exception {
        configure("[notify]\n" + notify);
        restart();
    }

    @Override
    public Map<String, String> settings() {
        var settings = new java.util.HashMap<>(super.settings());
        settings.put("ROOST_SECRET_OF_DAEMON", "x");
        return settings;
    }

    /** A program that records its input and exits as the file {@code fate} says. */
    private String program() throws IOException {
        var program = scratch.resolve("tell");
        Files.writeString(program, """
                #!/bin/sh
                cd '%s' || exit 9
                cat > told.$$ && env > env.$$
                echo "$1" >> calls
                [ -e fate ] || exit 0
                echo "the door is shut" >&2
                exit 3
                """.formatted(scratch));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return "on_notice = [\"%s\", \"two words\"]\n".formatted(program);
    }

    private List<Path> files(String pattern) throws IOException {
        try (var found = Files.newDirectoryStream(scratch, pattern)) {
            var all = new java.util.ArrayList<Path>();
            found.forEach(all::add);
            return all;
        }
    }

    private List<String> deliveries(String run) throws IOException {
        return show(run)
                .path("timeline")
                .valueStream()
                .filter(event -> event.path("kind").asString().equals("delivery"))
                .map(event -> event.path("text").asString())
                .toList();
    }

    private void awaitDelivery(String run, String... words) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(deliveries(run))
                        .anySatisfy(one -> assertThat(one).contains(words)));
    }

    @Test
    void a_command_gets_each_notice_once() throws Exception {
        serveWith(program());
        var first = sh("echo done");
        var second = sh("exit 4");
        awaitDelivery(first, "by on_notice arrived (try 1)");
        awaitDelivery(second, "by on_notice arrived (try 1)");
        restart();
        var told = files("told.*").stream().map(DeliveryWorkerProcessTest::json).toList();
        assertThat(told).extracting(one -> one.path("run_id").asString()).containsExactlyInAnyOrder(first, second);
        assertThat(told)
                .allSatisfy(one -> assertThat(one.propertyNames())
                        .contains(
                                "notice_id", "kind", "owner", "status", "cause", "created_at", "text", "output_file"));
        assertThat(Files.readAllLines(scratch.resolve("calls"))).containsOnly("two words");
        assertThat(Files.readString(files("env.*").getFirst())).doesNotContain("ROOST_");
    }

    private static JsonNode json(Path file) {
        try {
            return JSON.readTree(Files.readString(file));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void the_next_daemon_retries_failed_deliveries() throws Exception {
        serveWith(program());
        Files.createFile(scratch.resolve("fate"));
        var run = sh("echo done");
        awaitDelivery(run, "by on_notice failed (try 1)", "exit status 3: the door is shut");
        kill9();
        Files.delete(scratch.resolve("fate"));
        daemon = start();
        awaitDelivery(run, "by on_notice arrived (try 2)");
        assertThat(Files.readAllLines(scratch.resolve("calls"))).hasSize(2);
    }

    @Test
    void a_missing_command_is_reported_and_given_up_eventually() throws Exception {
        serveWith("on_notice = [\"/no/such/program\"]\ngive_up = \"1s\"\n");
        var run = sh("echo done");
        awaitDelivery(run, "failed (try 1)", "cannot be started");
        awaitDelivery(run, "given up (try 2)");
    }

    /** A server that answers the n-th request with that status. */
    private record Receiver(HttpServer server, List<Received> received) implements AutoCloseable {

        record Received(Headers headers, String body) {

            String header(String name) {
                return String.valueOf(headers.getFirst(name));
            }
        }

        static Receiver open(IntUnaryOperator status) throws IOException {
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            var received = new CopyOnWriteArrayList<Received>();
            server.createContext("/", exchange -> {
                var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                received.add(new Received(exchange.getRequestHeaders(), body));
                exchange.getResponseHeaders().add("Location", "/elsewhere");
                exchange.sendResponseHeaders(status.applyAsInt(received.size()), -1);
                exchange.close();
            });
            server.start();
            return new Receiver(server, received);
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private String webhook(Receiver receiver) throws IOException {
        var file = scratch.resolve("secret");
        Files.writeString(file, SECRET + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return "webhook = \"http://127.0.0.1:%d/hook?key=hidden\"\nwebhook_secret_file = \"%s\"\n"
                .formatted(receiver.server.getAddress().getPort(), file);
    }

    @Test
    void a_webhook_is_signed_and_retried_with_the_same_id() throws Exception {
        try (var receiver = Receiver.open(n -> n == 1 ? 302 : 204)) {
            serveWith(webhook(receiver));
            var run = sh("echo done");
            awaitDelivery(run, "by webhook failed (try 1)", "answered 302");
            awaitDelivery(run, "by webhook arrived (try 2)");
            assertThat(receiver.received).as("redirects are not followed").hasSize(2);
            for (var one : receiver.received) {
                assertThat(one.header("Content-Type")).isEqualTo("application/json");
                assertThat(one.header("Roost-Delivery")).isEqualTo(run + ".1.ended.1");
                assertThat(one.header("Roost-Signature"))
                        .isEqualTo("sha256=" + hmac(one.header("Roost-Timestamp") + "." + one.body));
                assertThat(JSON.readTree(one.body).path("run_id").asString()).isEqualTo(run);
            }
            nobodyElseKnows();
        }
    }

    private static String hmac(String text) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Neither the secret nor the address is in any file of the home. */
    private void nobodyElseKnows() throws IOException {
        try (var all = Files.walk(home)) {
            for (var file : all.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(SECRET, "key=hidden");
            }
        }
    }

    @Test
    void a_webhook_that_answers_410_is_not_called_again() throws Exception {
        try (var receiver = Receiver.open(_ -> 410)) {
            serveWith(webhook(receiver));
            var run = sh("echo done");
            awaitDelivery(run, "by webhook given up (try 1): answered 410");
            restart();
            awaitEnd(sh("true"));
            await().atMost(SOON).until(() -> receiver.received.size() == 2); // that of the other run
        }
    }

    @Test
    void a_refused_connection_is_a_failure_that_does_not_reveal_the_secret() throws Exception {
        var receiver = Receiver.open(_ -> 200);
        try (receiver) {
            serveWith(webhook(receiver));
        }
        var run = sh("echo done");
        awaitDelivery(run, "by webhook failed (try 1)", "no answer: ");
        Files.setPosixFilePermissions(scratch.resolve("secret"), PosixFilePermissions.fromString("rw-r--r--"));
        awaitDelivery(run, "by webhook failed (try 2)", "can be used by others");
        kill9();
        assertThat(firstLine(launch())).contains("bad_secret_file", "chmod 600");
        Files.setPosixFilePermissions(scratch.resolve("secret"), PosixFilePermissions.fromString("rw-------"));
    }
}
