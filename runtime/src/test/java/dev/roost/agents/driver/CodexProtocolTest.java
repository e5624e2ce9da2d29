package dev.roost.agents.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.FinalReport;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import dev.roost.agents.testing.AgentTranscript;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import dev.roost.model.Usage;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CodexProtocolTest {

    private static AgentTranscript codex(String name) {
        return AgentTranscript.of("codex", name);
    }

    private static Usage usage(long input, long output, int turns) {
        return new Usage(input, 0, output, Optional.empty(), turns);
    }

    @Test
    void only_an_explicit_success_completes_the_run() {
        assertThat(AgentTranscript.outcomes("codex"))
                .containsOnly(
                        entry("api-401", "agent_error"),
                        entry("api-429", "rate_limited"),
                        entry("api-500", "agent_error"),
                        entry("cut", "agent_error"),
                        entry("empty", "completed_empty"),
                        entry("killed-mid-tool", "signal"),
                        entry("killed-mid-tool-resumed", "completed"),
                        entry("permission-denied", "completed"), // its sandbox refuses without an error
                        entry("rate-limit-plan", "rate_limited"),
                        entry("resumable", "completed"),
                        entry("resume-unknown", "exit_code"),
                        entry("resumed", "completed"),
                        entry("retried", "completed"),
                        entry("success", "completed"),
                        entry("term-mid-tool", "signal"),
                        entry("tool", "completed"),
                        entry("tool-fails", "completed"),
                        entry("warning", "completed"));
    }

    @Test
    void the_last_message_is_the_result() {
        var tool = codex("tool");

        assertThat(tool.state().session()).contains("01a1de0f-93a0-7b92-98c3-c6dcf5188ed6");
        assertThat(tool.state().finalReport()).contains(new FinalReport.Success("all is well"));
        assertThat(tool.texts()).containsExactly("all is well");
        assertThat(tool.tools()).containsExactly("shell: echo hi");
        assertThat(tool.state().tools()).isEmpty();
        assertThat(tool.state().usage()).isEqualTo(usage(200, 40, 2));
    }

    @Test
    void a_failed_command_is_shown_with_its_exit_status() {
        assertThat(codex("tool-fails").tools()).containsExactly("shell: echo oh;exit 3", "✗ exit status 3: oh");
    }

    @Test
    void the_last_action_before_a_kill_is_known() {
        var killed = codex("killed-mid-tool");

        assertThat(killed.state().finalReport()).isEmpty();
        assertThat(killed.state().tools().values()).containsExactly("shell: /bin/bash -lc \"sh -c 'echo a;sleep 9'\"");
        assertThat(killed.state().usage()).isEqualTo(usage(0, 0, 2));
    }

    @Test
    void the_usage_of_earlier_attempts_is_not_counted_twice() {
        var first = codex("resumable").state();
        var next = AgentTranscript.job(AgentProfile.plain("codex"), first.session(), first.usage());

        assertThat(first.usage()).isEqualTo(usage(100, 20, 1));
        assertThat(AgentTranscript.of("codex", "resumed", next).state().usage()).isEqualTo(usage(100, 20, 1));
    }

    @Test
    void the_unreported_usage_of_a_killed_attempt_is_counted_by_the_next() {
        var killed = codex("killed-mid-tool").state();
        var next = AgentTranscript.job(AgentProfile.plain("codex"), killed.session(), killed.usage());

        assertThat(AgentTranscript.of("codex", "killed-mid-tool-resumed", next)
                        .state()
                        .usage())
                .isEqualTo(usage(200, 40, 1));
    }

    @Test
    void a_new_thread_of_a_run_with_earlier_usage_is_counted_from_its_start() {
        var job = AgentTranscript.job(AgentProfile.plain("codex"), Optional.empty(), usage(500, 500, 5));

        assertThat(AgentTranscript.of("codex", "success", job).state().usage()).isEqualTo(usage(100, 20, 1));
    }

    @Test
    void tool_calls_of_one_answer_are_one_turn() {
        var protocol = Drivers.of("codex").dialog(AgentTranscript.job("codex")).orElseThrow();
        var said = new ArrayList<AgentOutput>();
        for (var how : new String[] {"started", "completed"}) {
            for (var id : new String[] {"item_0", "item_1"}) {
                said.addAll(protocol.parseLine(
                        "{\"type\":\"item.%s\",\"item\":{\"id\":\"%s\",\"type\":\"web_search\"}}".formatted(how, id)));
            }
        }
        said.addAll(protocol.parseLine(
                "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"so\"}}"));

        assertThat(AgentTranscript.state(said).usage().turns()).isEqualTo(2);
        assertThat(AgentTranscript.state(said).tools()).isEmpty();
    }

    @Test
    void cached_tokens_are_counted_separately() {
        var protocol = Drivers.of("codex").dialog(AgentTranscript.job("codex")).orElseThrow();

        var said = protocol.parseLine("""
                {"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":70,"output_tokens":20}}""");

        assertThat(AgentTranscript.state(said).usage()).isEqualTo(new Usage(30, 70, 20, Optional.empty(), 0));
    }

    @Test
    void warnings_and_retries_are_notes_and_do_not_end_a_run() {
        assertThat(codex("warning").notes()).singleElement().asString().startsWith("Model metadata for `gpt-unknown`");
        assertThat(codex("retried").notes()).singleElement().asString().startsWith("Reconnecting... 1/2");
        assertThat(codex("retried").state().finalReport()).contains(new FinalReport.Success("fine at last"));
        assertThat(codex("api-401").notes()).isEmpty();
        assertThat(codex("api-401").why())
                .hasValueSatisfying(
                        why -> assertThat(why).startsWith("unexpected status 401 Unauthorized: scripted 401"));
    }

    @Test
    void an_error_without_further_output_is_the_cause_of_the_end() {
        var protocol = Drivers.of("codex").dialog(AgentTranscript.job("codex")).orElseThrow();
        var said = new ArrayList<>(protocol.parseLine("{\"type\":\"error\",\"message\":\"the config is broken\"}"));

        said.addAll(protocol.onExit(new Exit(1, false)));

        assertThat(said)
                .containsExactly(
                        new AgentOutput.TurnReport(new FinalReport.Failure(Cause.AGENT_ERROR, "the config is broken")));
    }

    @Test
    void a_usage_limit_ends_at_the_time_it_names_today() {
        var limit = codex("rate-limit-plan").state().limit().orElseThrow();

        var today = LocalDate.ofInstant(Instant.parse("2026-11-15T07:15:45Z"), ZoneId.systemDefault());
        assertThat(limit.until()).contains(local(today.atTime(8, 15)));
        assertThat(codex("api-429").state().limit().orElseThrow().until()).isEmpty();
    }

    @Test
    void a_usage_limit_ends_on_the_day_it_names() {
        var words = "You’ve hit your usage limit. Try again at Dec 3rd, 2026 12:05 PM.";

        assertThat(CodexProtocol.CodexLimitReset.in(words, "")).contains(local(LocalDateTime.of(2026, 12, 3, 12, 5)));
    }

    @Test
    void a_time_of_day_in_a_thread_of_another_day_has_no_date() {
        var resumed = AgentTranscript.job(AgentProfile.plain("codex"), Optional.of("01a1"), Usage.NONE);

        assertThat(AgentTranscript.of("codex", "rate-limit-plan", resumed)
                        .state()
                        .limit())
                .hasValueSatisfying(limit -> assertThat(limit.until()).isEmpty());
    }

    private static Instant local(LocalDateTime time) {
        return time.atZone(ZoneId.systemDefault()).toInstant();
    }

    @Test
    void the_json_of_an_api_error_is_not_shown() {
        var protocol = Drivers.of("codex").dialog(AgentTranscript.job("codex")).orElseThrow();
        var body = "{\\\"error\\\":{\\\"message\\\":\\\"The model is not supported.\\\",\\\"code\\\":null}}";

        var said = protocol.parseLine("{\"type\":\"turn.failed\",\"error\":{\"message\":\"%s\"}}".formatted(body));

        assertThat(said)
                .containsExactly(new AgentOutput.TurnReport(
                        new FinalReport.Failure(Cause.AGENT_ERROR, "The model is not supported.")));
    }

    @Test
    void the_prompt_is_never_an_argument() {
        var launch = Drivers.of("codex").launch(AgentTranscript.job("codex"));

        assertThat(launch.argv())
                .containsExactly("codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", "-");
        assertThat(launch.input()).isEqualTo(new LaunchCommand.AgentStdin.Text("the prompt"));
        assertThat(launch.environment()).isEmpty();
    }

    @Test
    void a_thread_is_resumed_with_all_settings_of_its_profile() {
        var job = AgentTranscript.job(
                AgentTranscript.profile("codex", Permissions.EDIT), Optional.of("01a1de0f"), Usage.NONE);

        assertThat(Drivers.of("codex").launch(job).argv())
                .containsSequence("--sandbox", "workspace-write", "--model", "a-model", "-c")
                .contains("developer_instructions=\"Be \\\"kind\\\".\\nBe brief.\"")
                .endsWith("--more", "resume", "01a1de0f", "-");
    }

    @Test
    void with_full_permissions_there_is_no_sandbox() {
        var job = AgentTranscript.job(AgentTranscript.profile("codex", Permissions.ALL), Optional.empty(), Usage.NONE);

        assertThat(Drivers.of("codex").launch(job).argv())
                .contains("--dangerously-bypass-approvals-and-sandbox")
                .doesNotContain("--sandbox");
    }

    @Test
    void parsing_is_deterministic() {
        for (var name : AgentTranscript.names("codex"))
            assertThat(codex(name).said()).isEqualTo(codex(name).said());
    }
}
