package dev.roost.agents.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.FinalReport;
import dev.roost.agents.JsonLines;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import dev.roost.agents.testing.AgentTranscript;
import dev.roost.model.Question;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClaudeProtocolTest {

    private static AgentTranscript claude(String name) {
        return AgentTranscript.of("claude", name);
    }

    private static Usage usage(long input, long output, long costMicros, int turns) {
        return new Usage(input, 0, output, Optional.of(costMicros), turns);
    }

    private static AgentProtocol dialog() {
        return Drivers.of("claude").dialog(AgentTranscript.job("claude")).orElseThrow();
    }

    @Test
    void only_an_explicit_success_completes_the_run() {
        assertThat(AgentTranscript.outcomes("claude"))
                .containsOnly(
                        entry("api-401", "agent_error"),
                        entry("api-429", "rate_limited"),
                        entry("api-500", "agent_error"),
                        entry("background-inside", "completed"),
                        entry("cut", "agent_error"),
                        entry("empty", "completed_empty"),
                        entry("killed-mid-tool", "signal"),
                        entry("killed-mid-tool-resumed", "completed"),
                        entry("max-budget", "budget_cost"),
                        entry("max-turns", "budget_turns"),
                        entry("permission-denied", "permission_denied"),
                        entry("rate-limit-plan", "rate_limited"),
                        entry("resumable", "completed"),
                        entry("resume-unknown", "agent_error"),
                        entry("resumed", "completed"),
                        entry("retried", "completed"),
                        entry("session-id-in-use", "exit_code"),
                        entry("stream-half-line", "exit_code"),
                        entry("stream-interrupted", "agent_error"),
                        entry("stream-permission-allowed", "completed"),
                        entry("stream-permission-denied", "permission_denied"),
                        entry("stream-sent-twice", "completed"),
                        entry("stream-steered", "completed"),
                        entry("stream-two-turns", "completed"),
                        entry("success", "completed"),
                        entry("term-mid-tool", "exit_code"),
                        entry("tool", "completed"),
                        entry("tool-fails", "completed"));
    }

    @Test
    void the_result_line_is_the_result() {
        var tool = claude("tool");

        assertThat(tool.state().session()).contains("fe431ab4-b082-4021-9a81-f8acce4aafd2");
        assertThat(tool.state().model()).contains("claude-opus-5-5");
        assertThat(tool.state().finalReport()).contains(new FinalReport.Success("all is well"));
        assertThat(tool.texts()).containsExactly("all is well");
        assertThat(tool.tools()).containsExactly("Bash: echo hi");
        assertThat(tool.state().usage()).isEqualTo(usage(200, 40, 1600, 2));
        assertThat(tool.said()).endsWith(new AgentOutput.StdinEnd());
    }

    @Test
    void a_failed_command_is_shown() {
        assertThat(claude("tool-fails").tools()).containsExactly("Bash: echo oh;exit 3", "✗ Exit code 3 oh");
    }

    @Test
    void the_last_action_before_a_kill_is_known() {
        var killed = claude("killed-mid-tool");

        assertThat(killed.state().finalReport()).isEmpty();
        assertThat(killed.state().tools().values()).containsExactly("Bash: sh -c 'echo a;sleep 9'");
        assertThat(killed.state().usage().turns()).isEqualTo(2);
    }

    @Test
    void a_result_is_not_final_while_background_work_continues() {
        var protocol = dialog();
        var atFirst = new ArrayList<AgentOutput>();
        for (var line : AgentTranscript.lines("claude", "background-inside.jsonl")) {
            if (line.contains("\"result\":\"second\"")) break;
            atFirst.addAll(protocol.parseLine(line));
        }

        assertThat(atFirst)
                .noneMatch(AgentOutput.TurnReport.class::isInstance)
                .doesNotContain(new AgentOutput.StdinEnd());
        assertThat(claude("background-inside").state().finalReport()).contains(new FinalReport.Success("second"));
        assertThat(claude("background-inside").state().usage()).isEqualTo(usage(300, 60, 2400, 3));
    }

    @Test
    void the_cost_of_turns_is_summed_without_earlier_attempts() {
        assertThat(claude("stream-two-turns").state().usage()).isEqualTo(usage(200, 40, 1600, 2));
        assertThat(claude("resumed").state().usage()).isEqualTo(usage(100, 20, 800, 1));
    }

    @Test
    void the_usage_of_a_turn_stopped_by_its_budget_is_counted() {
        assertThat(claude("max-budget").state().usage()).isEqualTo(usage(100, 20, 800, 1));
        assertThat(claude("max-budget").why()).contains("Reached maximum budget ($0.0005)");
    }

    @Test
    void an_answer_without_text_also_counts_as_a_turn() {
        assertThat(claude("empty").state().usage()).isEqualTo(usage(200, 40, 1600, 1));
    }

    @Test
    void an_api_error_is_shown_once_and_not_as_agent_text() {
        var failed = claude("api-500");

        assertThat(failed.texts()).isEmpty();
        assertThat(failed.notes()).containsExactly("the API did not answer well (server_error); try 1 of 1");
        assertThat(failed.why()).hasValueSatisfying(why -> assertThat(why).startsWith("API Error: 500 scripted 500."));
    }

    @Test
    void a_usage_limit_ends_at_the_providers_time() {
        assertThat(claude("rate-limit-plan").state().limit().orElseThrow().until())
                .contains(Instant.ofEpochSecond(1794730515));
        assertThat(claude("api-429").state().limit()).isEmpty(); // not reported for payment by token
    }

    @Test
    void an_interruption_is_explained() {
        assertThat(claude("stream-interrupted").why()).contains("it was interrupted");
    }

    @Test
    void an_unknown_session_is_named_in_the_error() {
        assertThat(claude("resume-unknown").why())
                .contains("No conversation found with session ID: 7c1ce857-c3b4-4ae1-84b3-98fb5b85949a");
    }

    @Test
    void a_question_waits_for_its_answer() {
        var protocol = dialog();
        var asked = new ArrayList<AgentOutput>();
        for (var line : AgentTranscript.lines("claude", "stream-permission-allowed.jsonl")) {
            if (line.contains("\"tool_result\"")) break;
            asked.addAll(protocol.parseLine(line));
        }

        assertThat(AgentTranscript.state(asked).question())
                .contains(new Question(
                        "b302b30e-de17-4e92-9f76-89b822ec28f6", Question.Kind.PERMISSION, "Bash: touch zz"));
        assertThat(AgentTranscript.state(asked).finalReport()).isEmpty();
    }

    @Test
    void permission_is_granted_only_for_the_request() {
        var allowed = AgentTranscript.of(
                "claude",
                "stream-permission-allowed",
                AgentTranscript.job("claude"),
                said -> said instanceof AgentOutput.QuestionAsked(var question)
                        ? List.of(new AgentInput.PermissionReply("message:1", question.id(), true, ""))
                        : List.of());

        assertThat(allowed.state().questions()).isEmpty();
        assertThat(allowed.said())
                .contains(
                        new AgentOutput.QuestionClosed("b302b30e-de17-4e92-9f76-89b822ec28f6"),
                        new AgentOutput.StdinLine(
                                "message:1",
                                "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
                                        + "\"request_id\":\"b302b30e-de17-4e92-9f76-89b822ec28f6\",\"response\":"
                                        + "{\"behavior\":\"allow\",\"updatedInput\":"
                                        + "{\"command\":\"touch zz\",\"description\":\"a scripted step\"}}}}"));
    }

    @Test
    void receipts_for_messages_do_not_undo_a_final_report() {
        for (var name : List.of("stream-steered", "stream-sent-twice"))
            assertThat(claude(name).state().finalReport()).isPresent();
    }

    @Test
    void a_repeated_message_is_recognized_and_another_is_not() {
        assertThat(uuid("message:5", "go left")).isEqualTo(uuid("message:5", "go left"));
        assertThat(uuid("message:5", "go left")).isNotEqualTo(uuid("message:6", "go left"));
        assertThat(uuid("message:5", "go left")).isNotEqualTo(uuid("message:5", "go right")); // a restored ledger
        assertThat(uuid("message:5", "go left").version()).isEqualTo(4);
    }

    private static UUID uuid(String key, String text) {
        var sent = (AgentOutput.StdinLine)
                dialog().encode(new AgentInput.UserMessage(key, text)).getFirst();
        return UUID.fromString(
                JsonLines.object(sent.line()).orElseThrow().path("uuid").asString());
    }

    @Test
    void the_prompt_is_never_an_argument_and_each_attempt_has_a_new_first_line() {
        var launch = Drivers.of("claude").launch(AgentTranscript.job("claude"));
        var again = Drivers.of("claude").launch(AgentTranscript.job("claude"));

        assertThat(launch.argv())
                .startsWith("claude", "-p")
                .containsSequence("--permission-mode", "default")
                .contains("--session-id")
                .doesNotContain("the prompt");
        assertThat(((LaunchCommand.AgentStdin.Pipe) launch.input()).first()).contains("\"content\":\"the prompt\"");
        assertThat(launch.input()).isNotEqualTo(again.input());
    }

    @Test
    void a_session_is_resumed_with_all_settings_of_its_profile() {
        var profile = AgentTranscript.profile("claude", Permissions.EDIT);
        var launch = Drivers.of("claude").launch(AgentTranscript.job(profile, Optional.of("d9760cb5"), Usage.NONE));

        assertThat(launch.argv())
                .containsSequence("--permission-mode", "acceptEdits", "--resume", "d9760cb5", "--model", "a-model")
                .containsSequence("--append-system-prompt", "Be \"kind\".\nBe brief.", "--more")
                .doesNotContain("--session-id");
    }

    @Test
    void with_full_permissions_no_question_is_asked() {
        var job = AgentTranscript.job(AgentTranscript.profile("claude", Permissions.ALL), Optional.empty(), Usage.NONE);

        assertThat(Drivers.of("claude").launch(job).argv()).containsSequence("--permission-mode", "bypassPermissions");
    }

    @Test
    void parsing_is_deterministic() {
        for (var name : AgentTranscript.names("claude"))
            assertThat(claude(name).said()).isEqualTo(claude(name).said());
    }
}
