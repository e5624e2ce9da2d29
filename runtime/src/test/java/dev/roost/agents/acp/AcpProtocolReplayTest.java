package dev.roost.agents.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.FinalReport;
import dev.roost.agents.Permissions;
import dev.roost.model.Cause;
import dev.roost.model.Usage;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded conversations of real agents and their results. */
class AcpProtocolReplayTest {

    private static final String TOOL = "touch zz;echo hi";
    private static final String DENIED_TOOL = "touch zz2;echo hi";
    private static final String LONG_TOOL = "sh -c 'echo a;sleep 9'";

    private static Usage usage(long input, long output, long cost, int turns) {
        return new Usage(input, 0, output, cost < 0 ? Optional.empty() : Optional.of(cost), turns);
    }

    @ParameterizedTest
    @CsvSource({
        "claude-acp, 1f76d7a3-6c2a-493e-9bbd-b0beea37abdd, claude-opus-5-5, 100, 20, 1600",
        "codex-acp, 01a1de10-2537-7d33-9513-2aaa2053838a, , 120, 0, -1",
        "gemini-acp, 3da4e57c-3c15-4f86-b4b0-ac32039e0eb1, gemini-2.5-pro, 100, 20, -1",
        "opencode-acp, ses_e21f04086ffe4lHorEsmabsN99, scripted/model, 100, 20, 140"
    })
    void a_prompt_is_answered(String agent, String session, String model, long input, long output, long cost)
            throws IOException {
        var scene = AcpTranscript.of(agent, "success").play();

        assertThat(scene.state().session()).contains(session);
        if (model != null) assertThat(scene.state().model()).contains(model);
        assertThat(scene.text()).containsExactly("all is well");
        assertThat(scene.state().usage()).isEqualTo(usage(input, output, cost, 1));
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("all is well"));
    }

    @ParameterizedTest
    @CsvSource({"claude-acp, 1", "codex-acp, 0", "gemini-acp, 1", "opencode-acp, 0"})
    void a_tool_is_shown_once_with_its_command(String agent, int questions) throws IOException {
        var scene = AcpTranscript.of(agent, "tool").play();

        assertThat(scene.tools()).containsExactly(TOOL);
        assertThat(scene.all(AgentOutput.ToolEnded.class))
                .singleElement()
                .satisfies(end -> assertThat(end.failed()).isFalse());
        assertThat(scene.questions()).hasSize(questions).allMatch(TOOL::equals);
        assertThat(scene.state().usage().turns()).isEqualTo(2);
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("all is well"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"codex-acp", "opencode-acp"})
    void a_granted_action_is_executed(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "permission-allowed").play();

        assertThat(scene.questions()).containsExactly(TOOL);
        assertThat(scene.tools()).containsExactly(TOOL);
        assertThat(scene.state().questions()).isEmpty();
        assertThat(scene.last()).isEqualTo(new FinalReport.Success("all is well"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "codex-acp", "gemini-acp", "opencode-acp"})
    void a_turn_that_ends_with_a_denied_action_has_not_succeeded(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "permission-denied").play();

        assertThat(scene.questions()).containsExactly(DENIED_TOOL);
        assertThat(scene.failure()).map(FinalReport.Failure::cause).contains(Cause.PERMISSION_DENIED);
        assertThat(scene.all(AgentOutput.ToolEnded.class))
                .singleElement()
                .satisfies(end -> assertThat(end.how()).isEqualTo("Not now."));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "gemini-acp"})
    void a_denial_applies_only_once(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "permission-cancelled").play();

        assertThat(scene.failure()).map(FinalReport.Failure::cause).contains(Cause.PERMISSION_DENIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "codex-acp", "gemini-acp", "opencode-acp"})
    void with_full_permissions_questions_are_granted_at_once(String agent) throws IOException {
        for (var name : new String[] {"tool", "cancelled"}) {
            var scene = AcpTranscript.of(agent, name).play(Permissions.ALL);

            assertThat(scene.questions()).isEmpty();
            assertThat(scene.tools()).hasSize(1);
            scene.assertSameAfterAnyRestart();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "codex-acp", "gemini-acp", "opencode-acp"})
    void an_empty_answer_is_a_success_without_a_result(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "empty").play();

        assertThat(scene.text()).isEmpty();
        assertThat(scene.last()).isEqualTo(new FinalReport.Success(""));
    }

    @ParameterizedTest
    @CsvSource({
        "claude-acp, api-401, AGENT_ERROR, 'it is not logged in, or its key is not valid: Authentication required'",
        "codex-acp, api-401, AGENT_ERROR, 'unexpected status 401 Unauthorized: scripted 401'",
        "gemini-acp, api-401, AGENT_ERROR, 'it is not logged in, or its key is not valid: scripted 401'",
        "opencode-acp, api-401, AGENT_ERROR, 'scripted 401'",
        "claude-acp, api-429, RATE_LIMITED, 'API Error: Request rejected (429) · scripted 429'",
        "codex-acp, api-429, RATE_LIMITED, 'exceeded retry limit, last status: 429 Too Many Requests'",
        "claude-acp, api-500, AGENT_ERROR, 'API Error: 500 scripted 500.'",
        "codex-acp, api-500, AGENT_ERROR, 'We''re currently experiencing high demand'",
        "claude-acp, cut, AGENT_ERROR, 'API Error: Connection to the API was lost'",
        "codex-acp, cut, AGENT_ERROR, 'stream disconnected before completion'",
        "gemini-acp, load-refused, AGENT_ERROR, 'it could not take up its conversation again: No previous sessions found for this project.'"
    })
    void an_error_is_readable_for_people(String agent, String name, Cause cause, String why) throws IOException {
        var failure = AcpTranscript.of(agent, name).play().failure().orElseThrow();

        assertThat(failure.cause()).isEqualTo(cause);
        assertThat(failure.reason()).startsWith(why);
    }

    @Test
    void a_partial_answer_is_shown_and_is_no_result() throws IOException {
        var scene = AcpTranscript.of("codex-acp", "cut").play();

        assertThat(scene.text()).containsExactly("These words are cut");
        assertThat(scene.failure()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "codex-acp", "gemini-acp", "opencode-acp"})
    void a_canceled_turn_has_not_succeeded(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "cancelled").play();

        assertThat(scene.tools()).containsExactly(LONG_TOOL);
        assertThat(scene.last()).isEqualTo(new FinalReport.Failure(Cause.AGENT_ERROR, "its turn was cancelled"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-acp", "codex-acp", "gemini-acp", "opencode-acp"})
    void the_tool_in_flight_at_a_kill_is_known(String agent) throws IOException {
        var scene = AcpTranscript.of(agent, "killed-mid-tool").play();

        assertThat(scene.state().tools().values()).containsExactly(LONG_TOOL);
        assertThat(scene.state().finalReport()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "claude-acp, loaded, a3b02c70-e423-4714-87c8-b40277e89581, all is well, 0",
        "codex-acp, loaded, 01a1de10-7ead-7281-b869-ce3d0cc367e9, all is well, 0",
        "gemini-acp, killed-mid-tool-loaded, , all is well, 1",
        "opencode-acp, loaded, , all is well, 0",
        "claude-acp, resumed, a3b02c70-e423-4714-87c8-b40277e89581, resumed, 0",
        "codex-acp, resumed, 01a1de10-7ead-7281-b869-ce3d0cc367e9, resumed, 0",
        "opencode-acp, resumed, , resumed, 0"
    })
    void a_resumed_conversation_does_not_repeat_its_past_output(
            String agent, String name, String session, String answer, int tools) throws IOException {
        var scene = AcpTranscript.of(agent, name).play();

        assertThat(scene.state().session()).isPresent();
        if (session != null) assertThat(scene.state().session()).contains(session);
        assertThat(scene.text()).containsExactly(answer);
        assertThat(scene.tools()).hasSize(tools);
        assertThat(scene.last()).isEqualTo(new FinalReport.Success(answer));
    }

    @ParameterizedTest
    @MethodSource("dev.roost.agents.acp.AcpTranscript#all")
    void a_restart_at_any_line_gives_the_same_result(AcpTranscript recording) {
        recording.play().assertSameAfterAnyRestart();
    }

    @ParameterizedTest
    @MethodSource("dev.roost.agents.acp.AcpTranscript#all")
    void incomplete_lines_and_garbage_are_ignored(AcpTranscript recording) {
        recording.play().assertSameDespiteGarbage();
    }
}
