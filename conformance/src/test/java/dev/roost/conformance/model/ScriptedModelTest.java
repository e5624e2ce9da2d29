package dev.roost.conformance.model;

import static dev.roost.conformance.model.JsonObjects.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.model.ModelRequest.Message;
import dev.roost.conformance.model.ModelRequest.Role;
import dev.roost.conformance.model.ModelRequest.Tool;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Tests the scripted model itself: the position in its script, and its request records. */
class ScriptedModelTest {

    private static final Message PROMPT = new Message(Role.USER, "please\nSCRIPT=bash?cmd=echo%20hi|all is well");
    private static final Message CALL = new Message(Role.MODEL, "");
    private static final Message RESULT = new Message(Role.TOOL, "hi");

    @Test
    void each_answer_in_the_conversation_completes_a_step() {
        assertThat(next(PROMPT)).isEqualTo(new ScriptStep.Shell("echo hi"));
        assertThat(next(PROMPT, CALL, RESULT)).isEqualTo(new ScriptStep.Say("all is well"));
    }

    @Test
    void a_resumed_conversation_continues_its_script_and_a_new_script_starts_over() {
        var resumed = new Message(Role.USER, "You were interrupted.");
        var again = new Message(Role.USER, "SCRIPT=another");
        var notSaidByTheModel = new Message(Role.MODEL, "No response requested.");

        assertThat(next(PROMPT, CALL, RESULT, notSaidByTheModel, resumed)).isEqualTo(new ScriptStep.Say("all is well"));
        assertThat(next(PROMPT, CALL, RESULT, again)).isEqualTo(new ScriptStep.Say("another"));
    }

    @Test
    void a_script_past_its_end_repeats_its_last_text() {
        var answer = new Message(Role.MODEL, "all is well");

        assertThat(next(PROMPT, CALL, RESULT, answer)).isEqualTo(new ScriptStep.Say("all is well"));
    }

    @Test
    void a_step_that_happens_once_is_skipped_in_the_next_request() {
        Set<String> happened = new HashSet<>();
        var modelScript =
                ModelScript.in("SCRIPT=status?code=429&reset=3&once|fine").orElseThrow();

        assertThat(modelScript.after(0, name -> !happened.add(name)).scriptStep())
                .isInstanceOf(ScriptStep.Status.class);
        assertThat(modelScript.after(0, name -> !happened.add(name)).scriptStep())
                .isEqualTo(new ScriptStep.Say("fine"));
    }

    @Test
    void a_step_without_another_form_is_text() {
        assertThat(ScriptStep.read("is it 100% well?").scriptStep()).isEqualTo(new ScriptStep.Say("is it 100% well?"));
        assertThat(ScriptStep.read("empty").scriptStep()).isEqualTo(new ScriptStep.Say(""));
        assertThat(ScriptStep.read("mcp:agent?prompt=SCRIPT%3Dfine&n=1").scriptStep())
                .isEqualTo(new ScriptStep.Call("agent", Map.of("prompt", "SCRIPT=fine", "n", "1")));
        assertThat(ScriptStep.read("text?t=costly&in=5000&out=7").usage(TokenUsage.USUAL))
                .isEqualTo(new TokenUsage(5000, 7));
    }

    @Test
    void requests_are_recorded_without_keys() throws Exception {
        try (var model = ScriptedModel.start()) {
            var answer = ask(model, chat("SCRIPT=all is well"));

            assertThat(answer.body()).contains("all is well").endsWith("data: [DONE]\n\n");
            var requestRecord = model.asked().getFirst();
            assertThat(requestRecord.model()).isEqualTo("some-model");
            assertThat(requestRecord.lastUserText()).isEqualTo("SCRIPT=all is well");
            assertThat(requestRecord.headers()).containsKey("content-type").doesNotContainKey("authorization");
        }
    }

    @Test
    void a_rate_limit_tells_when_to_retry() throws Exception {
        try (var model = ScriptedModel.start()) {
            var answer = ask(model, chat("SCRIPT=status?code=429&reset=7"));

            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("retry-after")).contains("7");
        }
    }

    private static ScriptStep next(Message... messages) {
        var modelRequest = new ModelRequest(List.of(messages), List.of(new Tool("bash")));
        return modelRequest
                .script()
                .orElseThrow()
                .after(modelRequest.turns(), _ -> false)
                .scriptStep();
    }

    private static ObjectNode chat(String prompt) {
        var tool = object("type", "function", "function", object("name", "bash"));
        return object(
                "model",
                "some-model",
                "stream",
                true,
                "messages",
                List.of(object("role", "user", "content", prompt)),
                "tools",
                List.of(tool));
    }

    private static HttpResponse<String> ask(ScriptedModel model, ObjectNode body) throws Exception {
        var headers = Stream.of("authorization", "Bearer dummy", "content-type", "application/json");
        var request = HttpRequest.newBuilder(URI.create(model.address() + "/v1/chat/completions"))
                .headers(headers.toArray(String[]::new))
                .POST(BodyPublishers.ofString(body.toString()))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.ofString());
        }
    }
}
