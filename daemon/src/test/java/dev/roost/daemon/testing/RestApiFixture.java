package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A program that uses the API, as anybody could write one from docs/api.md. */
public abstract class RestApiFixture extends HttpFixture {

    public static final String API = "/api/v1";
    public static final String BOX = "claude:box";

    public JsonNode read(String path, String token, String... headers) throws Exception {
        return ok(get(API + path, token, headers), 200);
    }

    public JsonNode write(String path, String token, ObjectNode body, String... headers) throws Exception {
        return ok(post(API + path, token, body.toString(), headers), path.equals("/runs") ? 201 : 200);
    }

    public static JsonNode ok(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control"));
        return JSON.readTree(answer.body());
    }

    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** Starts a script of the shell; its id. */
    public String begin(String token, String script) throws Exception {
        return write("/runs", token, script(script)).path("run_id").asString();
    }

    public JsonNode ended(String token, String run) throws Exception {
        var output = read("/runs/" + run + "/output?block=true&timeout_ms=20s", token);
        assertThat(output.path("timed_out").asBoolean()).isFalse();
        return output;
    }
}
