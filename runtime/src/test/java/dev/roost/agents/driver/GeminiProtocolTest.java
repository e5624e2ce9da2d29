package dev.roost.agents.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.FinalReport;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import dev.roost.agents.testing.AgentTranscript;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GeminiProtocolTest {

    private static AgentTranscript gemini(String name) {
        return AgentTranscript.of("gemini", name);
    }

    private static List<AgentOutput> read(String... lines) {
        var protocol =
                Drivers.of("gemini").dialog(AgentTranscript.job("gemini")).orElseThrow();
        var said = new ArrayList<AgentOutput>();
        for (var line : lines) said.addAll(protocol.parseLine(line));
        said.addAll(protocol.onExit(new Exit(0, false)));
        return said;
    }

    @Test
    void only_an_explicit_success_completes_the_run() {
        assertThat(AgentTranscript.outcomes("gemini"))
                .containsOnly(
                        entry("api-401", "agent_error"),
                        entry("api-429", "rate_limited"),
                        entry("api-500", "agent_error"),
                        entry("cut", "agent_error"),
                        entry("empty", "agent_error"), // it reports the error and exits with 0
                        entry("killed-mid-tool", "signal"),
                        entry("killed-mid-tool-resumed", "completed"),
                        entry("max-turns", "budget_turns"),
                        entry("resume-unknown", "exit_code"),
                        entry("resumed", "completed"),
                        entry("success", "completed"),
                        entry("term-mid-tool", "cut_short"), // a signal that it turns into exit 0
                        entry("tool", "completed"),
                        entry("tool-disabled", "completed"),
                        entry("tool-fails", "completed"));
    }

    @Test
    void the_text_after_its_last_tool_is_the_result() {
        var tool = gemini("tool");

        assertThat(tool.state().session()).contains("daf3fb2a-5eb5-4388-8913-ad4ea86dfbf8");
        assertThat(tool.state().model()).contains("gemini-2.5-pro");
        assertThat(tool.state().finalReport()).contains(new FinalReport.Success("all is well"));
        assertThat(tool.texts()).containsExactly("all is well");
        assertThat(tool.tools()).containsExactly("run_shell_command: echo hi");
        assertThat(tool.state().usage()).isEqualTo(new Usage(200, 0, 40, Optional.empty(), 2));
    }

    @Test
    void text_in_chunks_is_one_text() {
        var said = read(
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I will \",\"delta\":true}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"look.\",\"delta\":true}",
                "{\"type\":\"tool_use\",\"tool_name\":\"read_file\",\"tool_id\":\"1\",\"parameters\":{\"file_path\":\"a\"}}",
                "{\"type\":\"tool_result\",\"tool_id\":\"1\",\"status\":\"success\"}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"It is \",\"delta\":true}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"empty.\",\"delta\":true}",
                "{\"type\":\"result\",\"status\":\"success\",\"stats\":{}}");

        assertThat(said).contains(new AgentOutput.Text("I will look."), new AgentOutput.Text("It is empty."));
        assertThat(AgentTranscript.state(said).finalReport()).contains(new FinalReport.Success("It is empty."));
        assertThat(AgentTranscript.state(said).usage().turns()).isEqualTo(2);
    }

    @Test
    void truncated_text_is_kept() {
        var said = read("{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I wi\",\"delta\":true}");

        assertThat(said).contains(new AgentOutput.Text("I wi"));
        assertThat(AgentTranscript.state(said).finalReport()).isEmpty();
    }

    @Test
    void cached_tokens_are_counted_separately_and_thoughts_as_output() {
        var said = read("{\"type\":\"result\",\"status\":\"success\",\"stats\":"
                + "{\"total_tokens\":150,\"input_tokens\":100,\"output_tokens\":20,\"cached\":60,\"input\":40}}");

        assertThat(AgentTranscript.state(said).usage()).isEqualTo(new Usage(40, 60, 50, Optional.empty(), 0));
    }

    @Test
    void the_last_action_before_a_kill_is_known() {
        for (var name : List.of("killed-mid-tool", "term-mid-tool")) {
            assertThat(gemini(name).state().finalReport()).isEmpty();
            assertThat(gemini(name).state().tools().values())
                    .containsExactly("run_shell_command: sh -c 'echo a;sleep 9'");
        }
    }

    @Test
    void a_failure_is_shown_without_the_json_of_the_api() {
        assertThat(gemini("api-401").why()).contains("API error: scripted 401");
        assertThat(gemini("cut").why()).contains("API error: terminated");
        assertThat(gemini("cut").texts()).containsExactly("These words are cut");
        assertThat(gemini("empty").why())
                .hasValueSatisfying(why -> assertThat(why).startsWith("The model returned an empty response"));
    }

    @Test
    void a_rate_limit_ends_at_the_providers_time() {
        var limited = gemini("api-429");

        assertThat(limited.state().limit().orElseThrow().until()).contains(Instant.parse("2026-11-15T07:28:34.664Z"));
        assertThat(limited.why())
                .hasValueSatisfying(why ->
                        assertThat(why).startsWith("API error: scripted 429 Suggested retry after 3s. Please wait"));
    }

    @Test
    void a_rate_limit_is_recognized_by_the_exit_status_without_a_message() {
        var protocol =
                Drivers.of("gemini").dialog(AgentTranscript.job("gemini")).orElseThrow();
        var said = new ArrayList<>(protocol.parseLine(
                "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":\"[API Error: no capacity]\"}}"));

        said.addAll(protocol.onExit(new Exit(173, false)));

        assertThat(AgentTranscript.state(said).finalReport())
                .contains(new FinalReport.Failure(Cause.RATE_LIMITED, "API error: no capacity"));
    }

    @Test
    void a_success_with_an_error_is_no_success() {
        var said = read(
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Again.\",\"delta\":true}",
                "{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"Loop detected, stopping execution\"}",
                "{\"type\":\"result\",\"status\":\"success\",\"stats\":{}}");

        assertThat(AgentTranscript.state(said).finalReport())
                .contains(new FinalReport.Failure(Cause.AGENT_ERROR, "Loop detected, stopping execution"));
    }

    @Test
    void a_warning_before_further_work_is_a_note() {
        var said = read(
                "{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"careful\"}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Done.\",\"delta\":true}",
                "{\"type\":\"result\",\"status\":\"success\",\"stats\":{}}");

        assertThat(said).contains(new AgentOutput.Note("careful"));
        assertThat(AgentTranscript.state(said).finalReport()).contains(new FinalReport.Success("Done."));
    }

    @Test
    void the_prompt_is_never_an_argument() {
        var launch = Drivers.of("gemini").launch(AgentTranscript.job("gemini"));

        assertThat(launch.argv())
                .containsExactly("gemini", "--output-format", "stream-json", "--approval-mode", "default");
        assertThat(launch.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("the prompt"));
        assertThat(launch.environment())
                .containsOnly(entry("GEMINI_CLI_NO_RELAUNCH", "true"), entry("GEMINI_CLI_TRUST_WORKSPACE", "true"));
    }

    @Test
    void a_session_is_resumed_with_all_settings_of_its_profile_and_one_system_prompt() {
        var profile = AgentTranscript.profile("gemini", Permissions.EDIT);
        var first = Drivers.of("gemini").launch(AgentTranscript.job(profile, Optional.empty(), Usage.NONE));
        var next = Drivers.of("gemini").launch(AgentTranscript.job(profile, Optional.of("c44b"), Usage.NONE));

        assertThat(first.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("Be \"kind\".\nBe brief.\n\nthe prompt"));
        assertThat(next.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("the prompt"));
        assertThat(next.argv())
                .containsExactly(
                        "gemini",
                        "--output-format",
                        "stream-json",
                        "--approval-mode",
                        "auto_edit",
                        "--resume",
                        "c44b",
                        "--model",
                        "a-model",
                        "--more");
    }

    @Test
    void with_full_permissions_no_question_is_asked() {
        var job = AgentTranscript.job(AgentTranscript.profile("gemini", Permissions.ALL), Optional.empty(), Usage.NONE);

        assertThat(Drivers.of("gemini").launch(job).argv()).containsSequence("--approval-mode", "yolo");
    }

    @Test
    void parsing_is_deterministic() {
        for (var name : AgentTranscript.names("gemini"))
            assertThat(gemini(name).said()).isEqualTo(gemini(name).said());
    }
}
