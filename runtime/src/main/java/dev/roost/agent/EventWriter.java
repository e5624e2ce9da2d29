package dev.roost.agent;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Writes the agent process's events to standard output: one JSON object a line, and nothing in between. */
final class EventWriter {

    private static final JsonMapper JSON = new JsonMapper();

    private final PrintStream out;

    EventWriter(OutputStream out) {
        this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
    }

    void session(String id) {
        line(object("session").put("session_id", id));
    }

    void say(String text) {
        line(object("text").put("text", text));
    }

    void note(String text) {
        line(object("note").put("text", text));
    }

    void stepBegins(String id, String name) {
        line(object("step_started").put("id", id).put("name", name));
    }

    void stepEnded(String id, boolean failed, String text) {
        line(object("step_ended").put("id", id).put("failed", failed).put("text", text));
    }

    void used(long input, long output, double costUsd, int turns) {
        line(object("used")
                .put("input_tokens", input)
                .put("output_tokens", output)
                .put("cost_usd", costUsd)
                .put("turns", turns));
    }

    void done(String result) {
        line(object("result").put("success", true).put("text", result));
    }

    void failed(String why) {
        line(object("result").put("success", false).put("text", why));
    }

    private static ObjectNode object(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    private synchronized void line(ObjectNode json) {
        out.println(json);
        out.flush();
    }

    /** A replacement for {@code System.out}: each printed line becomes a note. */
    PrintStream noteStream() {
        return new PrintStream(new LineBuffer(this), true, StandardCharsets.UTF_8);
    }
}
