package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A client over HTTP, as anybody could write one from docs/protocol.md. */
public abstract class HttpFixture extends DaemonFixture {

    public final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void closeClient() {
        client.shutdownNow();
    }

    public String address() throws IOException {
        return call("status", operator()).path("http").asString();
    }

    public int port() throws IOException {
        return URI.create(address()).getPort();
    }

    public void restart() throws Exception {
        kill9();
        daemon = start();
    }

    public String operatorsToken() throws IOException {
        return Files.readString(home.resolve("token")).strip();
    }

    /** Makes a token that may use commands in the scratch directory. */
    public ObjectNode scope(String owner) {
        var scope = operator().put("owner", owner).put("directory", scratch.toString());
        scope.putArray("agents").add("command");
        return scope;
    }

    public String token(ObjectNode scope) throws IOException {
        return call("token_create", scope).path("secret").asString();
    }

    public String token(String owner) throws IOException {
        return token(scope(owner));
    }

    public HttpRequest.Builder request(String path, String token, String... headers) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(address() + path)).timeout(Duration.ofMinutes(1));
        if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
        return headers.length == 0 ? request : request.headers(headers);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path, String token, String... headers) throws Exception {
        return send(request(path, token, headers));
    }

    public HttpResponse<String> post(String path, String token, String body, String... headers) throws Exception {
        return send(request(path, token, headers).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    static JsonNode error(HttpResponse<String> answer) {
        var error = JSON.readTree(answer.body()).path("error");
        assertThat(error.propertyNames()).containsExactlyInAnyOrder("code", "message", "hint");
        return error;
    }

    public static void refused(HttpResponse<String> answer, int status, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(error(answer).path("code").asString()).isEqualTo(code);
    }

    /** What was answered before the connection ended; an endless answer is left after its beginning. */
    public static String exchange(int port, byte[] request, Duration patience) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) patience.toMillis());
            var answer = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(request);
                socket.shutdownOutput();
                var bytes = new byte[1 << 16];
                for (int n = socket.getInputStream().read(bytes);
                        n > 0;
                        n = socket.getInputStream().read(bytes)) {
                    answer.write(bytes, 0, n);
                    if (answer.toString(StandardCharsets.ISO_8859_1).contains("text/event-stream")) break;
                }
            } catch (SocketException e) {
                // it was cut off in the middle of its nonsense
            }
            return answer.toString(StandardCharsets.UTF_8);
        }
    }

    public static ObjectNode rpc(String method, ObjectNode params) {
        var message = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 7).put("method", method);
        message.set("params", params);
        return message;
    }

    public static ObjectNode toolCall(String name, ObjectNode arguments) {
        var params = JSON.createObjectNode().put("name", name);
        params.set("arguments", arguments);
        return rpc("tools/call", params);
    }

    /** The result of a tool call. */
    public JsonNode tool(String token, String name, ObjectNode arguments, String... headers) throws Exception {
        var answer = post("/mcp", token, toolCall(name, arguments).toString(), headers);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("result");
    }

    public JsonNode fields(JsonNode result) {
        assertThat(result.path("isError").asBoolean(false))
                .as(result.toString())
                .isFalse();
        return result.path("structuredContent");
    }

    public String code(JsonNode result) {
        assertThat(result.path("isError").asBoolean(false))
                .as(result.toString())
                .isTrue();
        return result.path("structuredContent").path("error").path("code").asString();
    }

    public static ObjectNode script(String script) {
        return JSON.createObjectNode()
                .put("prompt", script)
                .put("description", "a test")
                .put("agent", "command");
    }

    public static ObjectNode background(String script) {
        return script(script).put("run_in_background", true);
    }

    public static ObjectNode run(String id) {
        return JSON.createObjectNode().put("run_id", id);
    }

    /** What is answered to these very bytes, up to the end of its first read. */
    public String raw(String request) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            var bytes = new byte[4096];
            int n = socket.getInputStream().read(bytes);
            return new String(bytes, 0, Math.max(n, 0), StandardCharsets.UTF_8);
        }
    }

    public void configure(String text) throws IOException {
        Files.createDirectories(config().getParent());
        Files.writeString(config(), text);
    }
}
