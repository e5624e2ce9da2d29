package dev.roost.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.daemon.testing.HttpFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;

/** HTTP for other machines: only with TLS, or with an explicit setting. */
class HttpTlsProcessTest extends HttpFixture {

    private int free() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Path pem(String name) {
        return scratch.resolve(name + ".pem");
    }

    private void certificate(String... algorithm) throws Exception {
        var words = new java.util.ArrayList<>(java.util.List.of("openssl", "req", "-x509", "-nodes", "-days", "2"));
        words.addAll(java.util.List.of(algorithm));
        words.addAll(java.util.List.of(
                "-subj",
                "/CN=roost.example.net",
                "-addext",
                "subjectAltName=DNS:roost.example.net,IP:127.0.0.1",
                "-keyout",
                pem("key").toString(),
                "-out",
                pem("certificate").toString()));
        var process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("openssl.log").toFile())
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(scratch.resolve("openssl.log")))
                .isZero();
    }

    private HttpClient trusting() throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var in = Files.newInputStream(pem("certificate"))) {
            store.setCertificateEntry(
                    "roost", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private String tls(String address) {
        return """
                http = "%s"
                http_certificate = "%s"
                http_key = "%s"
                """.formatted(address, pem("certificate"), pem("key"));
    }

    private HttpRequest get(int port, String path, String... headers) throws IOException {
        var request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:%d%s".formatted(port, path)))
                .header("Authorization", "Bearer " + operatorsToken());
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    @Test
    void with_a_certificate_https_is_served_to_clients_that_trust_it() throws Exception {
        for (var kind :
                new String[][] {{"-newkey", "rsa:2048"}, {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"}}) {
            certificate(kind);
            int port = free();
            configure(tls("0.0.0.0:" + port) + "http_names = [\"roost.example.net\"]\n");
            restart();
            assertThat(address()).isEqualTo("https://roost.example.net:" + port);
            try (var trusting = trusting()) {
                var answer = trusting.send(get(port, "/api/v1/runs"), HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(JSON.readTree(answer.body()).path("runs").isArray()).isTrue();
                var ownRequest = get(port, "/api/v1/runs", "Origin", "https://roost.example.net:" + port);
                assertThat(trusting.send(ownRequest, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
                for (var origin : new String[] {"http://roost.example.net:" + port, "https://evil.example:" + port}) {
                    var foreignRequest = get(port, "/api/v1/runs", "Origin", origin);
                    assertThat(trusting.send(foreignRequest, HttpResponse.BodyHandlers.ofString())
                                    .statusCode())
                            .isEqualTo(403);
                }
                var events = trusting.send(get(port, "/api/v1/events"), HttpResponse.BodyHandlers.ofInputStream());
                try (var in = events.body()) {
                    assertThat(new String(in.readNBytes(4), java.nio.charset.StandardCharsets.UTF_8))
                            .startsWith(": \n");
                }
            }
            assertThatThrownBy(() -> client.send(get(port, "/healthz"), HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void only_configured_host_names_are_accepted() throws Exception {
        int port = free();
        configure("http = \"127.0.0.1:%d\"\nhttp_names = [\"roost.example.net\"]\n".formatted(port));
        restart();
        for (var host : new String[] {
            "roost.example.net:" + port, "ROOST.example.NET:" + port, "127.0.0.1:" + port, "localhost:" + port
        }) assertThat(knock(port, host)).as(host).startsWith("HTTP/1.1 200 ");
        for (var host : new String[] {
            "roost.example.net", "roost.example.net:1", "evil.example:" + port, "x.roost.example.net:" + port
        }) assertThat(knock(port, host)).as(host).startsWith("HTTP/1.1 403 ");
    }

    private String knock(int port, String host) throws IOException {
        try (var socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n"
                            .formatted(host)
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
            var bytes = new byte[64];
            int n = socket.getInputStream().read(bytes);
            return new String(bytes, 0, Math.max(n, 0), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @Test
    void plain_http_to_other_machines_needs_a_setting_and_is_logged() throws Exception {
        int port = free();
        kill9();
        configure("http = \"0.0.0.0:%d\"".formatted(port));
        var process = launch();
        assertThat(firstLine(process)).contains("bad_config", "unencrypted", "http_certificate", "http_insecure");
        assertThat(process.waitFor()).isEqualTo(4);
        configure("http = \"0.0.0.0:%d\"\nhttp_insecure = true\n".formatted(port));
        daemon = start();
        assertThat(address()).isEqualTo("http://127.0.0.1:" + port);
        assertThat(knock(port, "127.0.0.1:" + port)).startsWith("HTTP/1.1 200 ");
        assertThat(home.resolve("logs/daemon.0.log")).content().contains("unencrypted");
    }

    @Test
    void a_certificate_or_key_that_cannot_be_used_is_named() throws Exception {
        certificate("-newkey", "rsa:2048");
        kill9();
        int port = free();
        var good = tls("127.0.0.1:" + port);
        for (var bad : new String[] {
            good.replace("certificate.pem", "nothing.pem"),
            good.replace("key.pem", "certificate.pem"),
            good.replace("/certificate.pem", "/key.pem")
        }) {
            configure(bad);
            var process = launch();
            assertThat(firstLine(process))
                    .as(bad)
                    .contains("bad_certificate", "config.toml, line ")
                    .doesNotContain("BEGIN");
            assertThat(process.waitFor()).isEqualTo(4);
        }
        for (var half : new String[] {good.replaceAll("http_key.*\n", ""), good.replaceAll("http = .*\n", "")}) {
            configure(half);
            var process = launch();
            assertThat(firstLine(process)).as(half).contains("bad_config");
            assertThat(process.waitFor()).isEqualTo(4);
        }
        configure("");
    }
}
