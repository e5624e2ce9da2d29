package dev.roost.agents.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.FinalReport;
import dev.roost.agents.Permissions;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The client's side of the Agent Client Protocol: messages, questions and answers. */
class AcpProtocolTest {

    private static AcpReplay scene() {
        return AcpReplay.with(Permissions.SAFE).opened(AcpReplay.SESSION);
    }

    private static String chunk(String text) {
        return "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":%s}}"
                .formatted(AcpReplay.JSON.writeValueAsString(text));
    }

    private static String request(String id, String kind, String path, String... options) {
        var offered = List.of(options).stream()
                .map(option -> "{\"optionId\":\"o-%1$s\",\"kind\":\"%1$s\"}".formatted(option))
                .toList();
        return """
                {"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{
                "toolCall":{"toolCallId":"t1","title":"change it","kind":"%s","locations":[%s]},"options":[%s]}}""".formatted(id, kind, path.isEmpty() ? "" : "{\"path\":\"" + path + "\"}", String.join(",", offered))
                .replace("\n", "");
    }

    @Test
    void messages_during_a_turn_are_sent_after_it_in_one_turn_each() {
        var scene = scene();
        scene.update(chunk("half of "));
        scene.send(new AgentInput.UserMessage("message:7", "also this"));
        scene.send(new AgentInput.UserMessage("message:8", "and that"));
        scene.update(chunk("the first answer"));
        assertThat(scene.sent).as("only the task was sent").hasSize(1);

        var ended = scene.answer("{\"stopReason\":\"end_turn\"}");
        assertThat(ended)
                .noneMatch(
                        output -> output instanceof AgentOutput.TurnReport || output instanceof AgentOutput.StdinEnd);
        assertThat(AcpReplay.of(ended, AgentOutput.StdinLine.class))
                .singleElement()
                .satisfies(send -> {
                    assertThat(send.key()).isEqualTo("message:7");
                    assertThat(send.line()).contains("session/prompt", "also this");
                });
        scene.update(chunk("a second answer"));
        assertThat(scene.answer("{\"stopReason\":\"cancelled\"}"))
                .anyMatch(output -> output instanceof AgentOutput.StdinLine send
                        && send.key().equals("message:8"));
        scene.update(chunk("a third answer"));
        scene.answer("{\"stopReason\":\"end_turn\"}");

        assertThat(scene.text()).containsExactly("half of the first answer", "a second answer", "a third answer");
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("a third answer"));
        assertThat(scene.send(new AgentInput.UserMessage("message:9", "too late")))
                .isEmpty();
        scene.assertSameAfterAnyRestart();
    }

    @Test
    void an_unanswered_question_is_closed_with_its_turn() {
        var scene = scene();
        scene.read(request("0", "execute", "", "allow_once"));
        scene.send(new AgentInput.UserMessage("message:7", "never mind"));
        scene.answer("{\"stopReason\":\"end_turn\"}");

        assertThat(scene.state().question()).isEmpty();
        assertThat(scene.send(new AgentInput.PermissionReply("message:8", "0", true, "")))
                .isEmpty();
        scene.assertSameAfterAnyRestart();
    }

    @Test
    void an_error_ends_the_agent_despite_waiting_messages() {
        var scene = scene();
        scene.send(new AgentInput.UserMessage("message:7", "also this"));
        scene.read("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}");

        assertThat(scene.last()).isEqualTo(new FinalReport.Failure(Cause.AGENT_ERROR, "Internal error"));
        assertThat(scene.all(AgentOutput.StdinEnd.class)).hasSize(1);
        scene.assertSameAfterAnyRestart();
    }

    @Test
    void a_second_answer_to_a_question_is_not_sent() {
        var scene = scene();
        scene.read(request("\"a-b\"", "execute", "", "allow_always", "allow_once", "reject_once"));
        var first = scene.send(new AgentInput.PermissionReply("message:1", "a-b", true, ""));
        var second = scene.send(new AgentInput.PermissionReply("message:2", "a-b", false, "no"));

        assertThat(AcpReplay.of(first, AgentOutput.StdinLine.class))
                .singleElement()
                .satisfies(send -> assertThat(send.line()).contains("\"id\":\"a-b\"", "\"optionId\":\"o-allow_once\""));
        assertThat(second).isEmpty();
        assertThat(scene.tools()).containsExactly("change it");
        scene.assertSameAfterAnyRestart();
    }

    @Test
    void no_permission_is_granted_or_denied_permanently() {
        var scene = AcpReplay.with(Permissions.ALL).opened(AcpReplay.SESSION);
        assertThat(AcpReplay.of(
                        scene.read(request("0", "execute", "", "allow_always", "reject_always")),
                        AgentOutput.QuestionAsked.class))
                .hasSize(1);
        assertThat(scene.send(new AgentInput.PermissionReply("message:1", "0", true, ""))
                        .getFirst())
                .isInstanceOfSatisfying(
                        AgentOutput.StdinLine.class,
                        send -> assertThat(send.line())
                                .contains("\"outcome\":\"cancelled\"")
                                .doesNotContain("always"));
    }

    @ParameterizedTest
    @CsvSource({
        "SAFE, read, /home/u/work/a, false",
        "EDIT, read, /home/u/work/a, true",
        "EDIT, edit, /home/u/work/b/c, true",
        "EDIT, edit, a, true",
        "EDIT, edit, /home/u/work/../secret, false",
        "EDIT, edit, /home/u/workshop, false",
        "EDIT, edit, '', false",
        "EDIT, delete, /home/u/work/a, false",
        "EDIT, execute, /home/u/work, false",
        "ALL, execute, '', true",
        "ALL, edit, /etc/passwd, true"
    })
    void with_edit_permission_only_the_working_directory_is_edited(
            Permissions permissions, String kind, String path, boolean alone) {
        var scene = AcpReplay.with(permissions).opened(AcpReplay.SESSION);
        var said = scene.read(request("5", kind, path, "allow_always", "allow_once", "reject_once"));

        assertThat(AcpReplay.of(said, AgentOutput.QuestionAsked.class)).hasSize(alone ? 0 : 1);
        assertThat(AcpReplay.of(said, AgentOutput.StdinLine.class))
                .hasSize(alone ? 1 : 0)
                .allSatisfy(send -> {
                    assertThat(send.key()).isEqualTo("reply:5");
                    assertThat(send.line()).contains("\"id\":5", "\"optionId\":\"o-allow_once\"");
                });
    }

    @Test
    void text_split_anywhere_is_joined() {
        var scene = scene();
        for (var piece : List.of("Hel", "lo wor", "ld.\n", "\nSec", "ond par", "agraph\n\n\n", "Third"))
            scene.update(chunk(piece));
        assertThat(scene.text()).containsExactly("Hello world.\n\n", "Second paragraph\n\n\n");
        scene.assertSameAfterAnyRestart();
        scene.answer("{\"stopReason\":\"end_turn\"}");

        assertThat(scene.text()).endsWith("Third");
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("Hello world.\n\nSecond paragraph\n\n\nThird"));
    }

    @Test
    void text_before_a_crash_is_not_lost() {
        var protocol = new AcpProtocol(AcpReplay.job(Permissions.SAFE, "do it", Optional.empty()));
        protocol.parseLine("{\"id\":1,\"result\":{}}");
        protocol.parseLine("{\"id\":2,\"result\":" + AcpReplay.SESSION + "}");
        protocol.parseLine("{\"method\":\"session/update\",\"params\":{\"update\":" + chunk("I was just") + "}}");

        assertThat(protocol.onExit(new Exit(9, true))).containsExactly(new AgentOutput.Text("I was just"));
        assertThat(protocol.onExit(new Exit(9, true))).isEmpty();
    }

    @Test
    void the_result_is_the_text_after_the_last_tool() {
        var scene = scene();
        scene.update(chunk("Let me look."));
        scene.update(
                "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t1\",\"title\":\"Read a\",\"status\":\"in_progress\"}");
        scene.update(
                "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t1\",\"status\":\"failed\",\"rawOutput\":\"gone\"}");
        scene.update(chunk("It is "));
        scene.update("{\"sessionUpdate\":\"usage_update\",\"used\":5,\"size\":10}");
        scene.update(chunk("there."));
        scene.update("{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\",\"text\":\"hm\"}}");
        scene.update(chunk("Really."));
        scene.answer("{\"stopReason\":\"end_turn\"}");

        assertThat(scene.text()).containsExactly("Let me look.", "It is there.", "Really.");
        assertThat(scene.all(AgentOutput.ToolEnded.class))
                .containsExactly(new AgentOutput.ToolEnded("t1", true, "gone"));
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("It is there.\n\nReally."));
        assertThat(scene.state().usage().turns()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "max_tokens, AGENT_ERROR, its answer was cut off at the model's limit of tokens",
        "max_turn_requests, BUDGET_TURNS, it reached its own limit of requests in a turn",
        "refusal, REFUSED, the model refused: No.",
        "cancelled, AGENT_ERROR, its turn was cancelled",
        "bored, AGENT_ERROR, it ended its turn for an unknown reason: bored"
    })
    void only_a_regular_end_of_a_turn_is_a_success(String reason, Cause cause, String why) {
        var scene = scene();
        scene.update(chunk("No."));
        scene.answer("{\"stopReason\":\"%s\"}".formatted(reason));

        assertThat(scene.last()).isEqualTo(new FinalReport.Failure(cause, why));
    }

    @Test
    void output_after_the_final_report_does_not_change_it() {
        var scene = scene();
        scene.update(chunk("done"));
        scene.answer("{\"stopReason\":\"end_turn\"}");
        scene.update(chunk("PS"));
        scene.read(request("1", "execute", "", "allow_once"));

        assertThat(scene.last()).isEqualTo(new FinalReport.Success("done"));
        assertThat(scene.state().questions()).isEmpty();
    }

    @Test
    void requests_for_unsupported_capabilities_are_refused() {
        var said = scene().read("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"fs/read_text_file\",\"params\":{}}");

        assertThat(said).singleElement().isInstanceOfSatisfying(AgentOutput.StdinLine.class, send -> {
            assertThat(send.key()).isEqualTo("reply:\"x\"");
            assertThat(send.line()).contains("\"id\":\"x\"", "-32601");
        });
    }
}
