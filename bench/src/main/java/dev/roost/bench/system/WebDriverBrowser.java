package dev.roost.bench.system;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Drives Debian's Chromium through its WebDriver, with the few calls that a measurement needs. */
public final class WebDriverBrowser implements AutoCloseable {

    private static final int PORT = 19_515;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process driver;
    private final String session;

    public WebDriverBrowser() throws Exception {
        driver = new ProcessBuilder("chromedriver", "--port=" + PORT)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        for (int tries = 0; !isThere(); tries++) {
            if (tries == 100) throw new IOException("chromedriver does not answer");
            LockSupport.parkNanos(100_000_000);
        }
        var options = DaemonConnection.JSON.createObjectNode();
        var chromium =
                options.putObject("capabilities").putObject("alwaysMatch").putObject("goog:chromeOptions");
        chromium.put("binary", "/usr/bin/chromium");
        List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1440,1000")
                .forEach(chromium.putArray("args")::add);
        session = ask("POST", "/session", options).path("sessionId").asString();
    }

    private boolean isThere() throws InterruptedException {
        try {
            ask("GET", "/status", DaemonConnection.JSON.createObjectNode());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private JsonNode ask(String method, String path, ObjectNode body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + PORT + path))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        method.equals("POST")
                                ? HttpRequest.BodyPublishers.ofString(body.toString())
                                : HttpRequest.BodyPublishers.noBody())
                .build();
        var answer = DaemonConnection.JSON.readTree(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
        var value = answer.path("value");
        if (value.has("error")) throw new IOException(value.path("message").asString());
        return value;
    }

    public void open(String address) throws IOException, InterruptedException {
        ask(
                "POST",
                "/session/%s/url".formatted(session),
                DaemonConnection.JSON.createObjectNode().put("url", address));
    }

    public JsonNode run(String script, String... arguments) throws IOException, InterruptedException {
        var body = DaemonConnection.JSON.createObjectNode().put("script", script);
        var given = body.putArray("args");
        for (var argument : arguments) given.add(argument);
        return ask("POST", "/session/%s/execute/sync".formatted(session), body);
    }

    /** Repeats the script until it returns a value. */
    public JsonNode await(String script, String... arguments) throws IOException, InterruptedException {
        for (int tries = 0; tries < 3000; tries++) {
            var answer = run(script, arguments);
            if (!answer.isNull()) return answer;
            LockSupport.parkNanos(20_000_000);
        }
        throw new IOException("the script never returned a value: " + script);
    }

    @Override
    public void close() throws IOException {
        try {
            ask("DELETE", "/session/" + session, DaemonConnection.JSON.createObjectNode());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            driver.destroy();
            http.shutdownNow();
        }
    }
}
