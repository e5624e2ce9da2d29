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
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenCodeProtocolTest {

    private static AgentTranscript opencode(String name) {
        return AgentTranscript.of("opencode", name);
    }

    @Test
    void only_a_finished_last_step_completes_the_run() {
        assertThat(AgentTranscript.outcomes("opencode"))
                .containsOnly(
                        entry("api-401", "agent_error"),
                        entry("api-429", "rate_limited"),
                        entry("api-500", "agent_error"),
                        entry("cut", "agent_error"),
                        entry("empty", "completed_empty"),
                        entry("killed-mid-tool", "signal"),
                        entry("killed-mid-tool-resumed", "completed"),
                        entry("permission-denied", "permission_denied"),
                        entry("resume-unknown", "exit_code"),
                        entry("resumed", "completed"),
                        entry("retried", "completed"),
                        entry("success", "completed"),
                        entry("term-mid-tool", "signal"),
                        entry("tool", "completed"),
                        entry("tool-disabled", "completed"),
                        entry("tool-fails", "completed"));
    }

    @Test
    void the_text_of_the_last_step_is_the_result() {
        var tool = opencode("tool");

        assertThat(tool.state().session()).contains("ses_e21ec2f8cffeLsDdGN4Urhcttu");
        assertThat(tool.state().finalReport()).contains(new FinalReport.Success("all is well"));
        assertThat(tool.texts()).containsExactly("all is well");
        assertThat(tool.tools()).containsExactly("bash: echo hi");
        assertThat(tool.said())
                .filteredOn(AgentOutput.Session.class::isInstance)
                .hasSize(1);
    }

    @Test
    void usage_and_cost_are_the_sum_of_its_steps() {
        assertThat(opencode("tool").state().usage()).isEqualTo(new Usage(200, 0, 40, Optional.of(280L), 2));
        assertThat(opencode("resumed").state().usage()).isEqualTo(new Usage(100, 0, 20, Optional.of(140L), 1));
    }

    @Test
    void cached_tokens_are_counted_separately_and_thoughts_as_output() {
        var protocol =
                Drivers.of("opencode").dialog(AgentTranscript.job("opencode")).orElseThrow();

        var said = protocol.parseLine("""
                {"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","cost":0.5,
                 "tokens":{"total":166,"input":30,"output":20,"reasoning":6,"cache":{"write":10,"read":100}}}}""");

        assertThat(AgentTranscript.state(said).usage()).isEqualTo(new Usage(40, 100, 26, Optional.of(500_000L), 1));
    }

    @Test
    void a_failed_command_is_shown_with_its_exit_status() {
        assertThat(opencode("tool-fails").tools()).containsExactly("bash: echo oh;exit 3", "✗ exit status 3");
    }

    @Test
    void an_end_after_a_rejected_question_is_permission_denied() {
        assertThat(opencode("permission-denied").why()).contains("it was not allowed to use bash: touch zz");
    }

    @Test
    void a_rate_limit_ends_at_the_providers_time() {
        var limited = opencode("api-429");

        assertThat(limited.state().limit().orElseThrow().until()).contains(Instant.ofEpochMilli(1794727276566L + 3000));
        assertThat(limited.why()).contains("scripted 429");
    }

    @Test
    void a_failure_is_shown_with_its_original_message() {
        assertThat(opencode("api-401").why()).contains("scripted 401");
        assertThat(opencode("cut").why())
                .hasValueSatisfying(why -> assertThat(why).startsWith("Cannot connect to API"));
    }

    @Test
    void a_killed_agent_has_no_final_report() {
        var killed = opencode("killed-mid-tool");

        assertThat(killed.state().finalReport()).isEmpty();
        assertThat(killed.tools()).containsExactly("bash: echo 1"); // it reports a tool only at its end
    }

    @Test
    void a_failed_exit_status_outweighs_a_finished_step() {
        var protocol =
                Drivers.of("opencode").dialog(AgentTranscript.job("opencode")).orElseThrow();
        AgentTranscript.lines("opencode", "success.jsonl").forEach(protocol::parseLine);

        assertThat(protocol.onExit(new Exit(1, false))).isEmpty();
    }

    @Test
    void a_truncated_answer_is_no_result() {
        var protocol =
                Drivers.of("opencode").dialog(AgentTranscript.job("opencode")).orElseThrow();
        var said = new ArrayList<AgentOutput>();
        for (var line : AgentTranscript.lines("opencode", "success.jsonl"))
            said.addAll(protocol.parseLine(line.replace("\"stop\"", "\"length\"")));

        said.addAll(protocol.onExit(new Exit(0, false)));

        assertThat(AgentTranscript.state(said).finalReport())
                .contains(new FinalReport.Failure(
                        Cause.AGENT_ERROR, "its answer was cut off at the length its model allows"));
    }

    @Test
    void the_prompt_is_never_an_argument() {
        var launch = Drivers.of("opencode").launch(AgentTranscript.job("opencode"));

        assertThat(launch.argv()).containsExactly("opencode", "run", "--format", "json");
        assertThat(launch.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("the prompt"));
    }

    @Test
    void forbidden_actions_are_denied_so_that_it_never_asks() {
        assertThat(permissions(Permissions.SAFE))
                .containsExactly(entry(
                        "OPENCODE_PERMISSION",
                        "{\"edit\":\"deny\",\"bash\":\"deny\",\"external_directory\":\"deny\"}"));
        assertThat(permissions(Permissions.EDIT))
                .containsExactly(entry(
                        "OPENCODE_PERMISSION",
                        "{\"edit\":\"allow\",\"bash\":\"deny\",\"external_directory\":\"deny\"}"));
        assertThat(permissions(Permissions.ALL)).isEmpty();
    }

    private static Map<String, String> permissions(Permissions permissions) {
        var job = AgentTranscript.job(AgentTranscript.profile("opencode", permissions), Optional.empty(), Usage.NONE);
        return Drivers.of("opencode").launch(job).environment();
    }

    @Test
    void a_session_is_resumed_with_all_settings_of_its_profile_and_one_system_prompt() {
        var profile = AgentTranscript.profile("opencode", Permissions.ALL);
        var first = Drivers.of("opencode").launch(AgentTranscript.job(profile, Optional.empty(), Usage.NONE));
        var next = Drivers.of("opencode").launch(AgentTranscript.job(profile, Optional.of("ses_1"), Usage.NONE));

        assertThat(first.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("Be \"kind\".\nBe brief.\n\nthe prompt"));
        assertThat(next.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("the prompt"));
        assertThat(next.argv())
                .containsExactly(
                        "opencode",
                        "run",
                        "--format",
                        "json",
                        "--session",
                        "ses_1",
                        "--model",
                        "a-model",
                        "--auto",
                        "--more");
    }

    @Test
    void parsing_is_deterministic() {
        for (var name : AgentTranscript.names("opencode"))
            assertThat(opencode(name).said()).isEqualTo(opencode(name).said());
    }
}
