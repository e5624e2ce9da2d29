package dev.roost.agents.acp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProfile;
import dev.roost.agents.AttemptJob;
import dev.roost.agents.FinalReport;
import dev.roost.agents.LaunchCommand;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.agents.driver.Drivers;
import dev.roost.base.BadInput;
import dev.roost.model.Cause;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The start of an Agent Client Protocol session: launch, resume, mode, model and system prompt. */
class AcpHandshakeTest {

    private static final String CLAUDE_MODES =
            modes("default", "default", "acceptEdits", "plan", "auto", "bypassPermissions");

    private static final String CODEX_MODES = modes("read-only", "read-only", "auto", "full-access");
    private static final String GEMINI_MODES = modes("default", "default", "autoEdit", "yolo", "plan");

    private static String modes(String current, String... all) {
        var ids = List.of(all).stream().map("{\"id\":\"%s\"}"::formatted).toList();
        return "{\"sessionId\":\"s1\",\"modes\":{\"currentModeId\":\"%s\",\"availableModes\":[%s]}}"
                .formatted(current, String.join(",", ids));
    }

    private static AttemptJob job(
            Optional<String> model, Optional<String> system, Optional<String> session, Usage before) {
        var plain = AcpReplay.job(Permissions.SAFE, "do it", session);
        var profile = new AgentProfile(
                "it", "acp", List.of("it"), model, List.of(), Permissions.SAFE, system, Map.of("A", "b"));
        return new AttemptJob(
                profile, plain.task(), plain.cwd(), plain.promptFile(), plain.budget(), plain.session(), before, false);
    }

    @ParameterizedTest
    @CsvSource({
        "SAFE, claude, ", "EDIT, claude, acceptEdits", "ALL, claude, bypassPermissions",
        "SAFE, codex, ", "EDIT, codex, auto", "ALL, codex, full-access",
        "SAFE, gemini, ", "EDIT, gemini, autoEdit", "ALL, gemini, yolo"
    })
    void the_mode_fits_the_permissions(Permissions permissions, String agent, String mode) {
        var modes = Map.of("claude", CLAUDE_MODES, "codex", CODEX_MODES, "gemini", GEMINI_MODES);
        var scene = AcpReplay.with(permissions).opened(requireNonNull(modes.get(agent)));

        if (mode != null) {
            assertThat(scene.sent.getLast().path("method").asString()).isEqualTo("session/set_mode");
            assertThat(scene.sent.getLast().path("params").path("modeId").asString())
                    .isEqualTo(mode);
            assertThat(scene.sent.getLast().path("params").path("sessionId").asString())
                    .isEqualTo("s1");
            scene.answer("{}");
        }
        assertThat(scene.sent.getLast().path("method").asString()).isEqualTo("session/prompt");
        scene.assertSameAfterAnyRestart();
    }

    @Test
    void a_mode_may_be_one_of_the_options() {
        var scene = AcpReplay.with(Permissions.EDIT).opened("""
                {"sessionId":"s1","configOptions":[{"id":"m","category":"mode","currentValue":"ask",
                "options":[{"value":"ask"},{"value":"acceptEdits"}]}]}""".replace("\n", ""));

        var params = scene.sent.getLast().path("params");
        assertThat(scene.sent.getLast().path("method").asString()).isEqualTo("session/set_config_option");
        assertThat(params.path("configId").asString() + "="
                        + params.path("value").asString())
                .isEqualTo("m=acceptEdits");
    }

    @Test
    void an_agent_that_refuses_the_safe_mode_gets_no_prompt() {
        var scene = AcpReplay.with(Permissions.SAFE).opened(modes("yolo", "yolo", "default"));
        scene.read("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"no\"}}");

        assertThat(scene.last())
                .isEqualTo(new FinalReport.Failure(Cause.AGENT_ERROR, "it would not go into its mode default: no"));
    }

    @Test
    void an_agent_that_refuses_a_freer_mode_continues_and_asks() {
        var scene = AcpReplay.with(Permissions.ALL).opened(CLAUDE_MODES);
        var said = scene.read("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"not as root\"}}");

        assertThat(said)
                .anyMatch(one -> one.equals(
                        new AgentOutput.Note("it would not go into its mode bypassPermissions: not as root")));
        assertThat(scene.sent.getLast().path("method").asString()).isEqualTo("session/prompt");
    }

    @Test
    void an_agent_without_modes_gets_a_note() {
        assertThat(AcpReplay.with(Permissions.SAFE).opened(AcpReplay.SESSION).all(AgentOutput.Note.class))
                .containsExactly(new AgentOutput.Note(
                        "it has no mode for permissions = safe: what it asks for is up to its own settings"));
    }

    @Test
    void the_model_is_set_if_the_agent_offers_a_choice() {
        var asked = job(Optional.of("fast"), Optional.empty(), Optional.empty(), Usage.NONE);
        var scene = new AcpReplay(asked)
                .opened(
                        "{\"sessionId\":\"s1\",\"configOptions\":[{\"id\":\"model\",\"category\":\"model\",\"currentValue\":\"slow\"}]}");
        assertThat(scene.sent.getLast().path("params").path("value").asString()).isEqualTo("fast");
        scene.answer("{}");
        assertThat(scene.state().model()).contains("fast");
        assertThat(scene.sent.getLast().path("method").asString()).isEqualTo("session/prompt");

        var old = new AcpReplay(asked)
                .opened(
                        "{\"sessionId\":\"s1\",\"models\":{\"currentModelId\":\"slow\",\"availableModels\":[{\"modelId\":\"slow\"}]}}");
        assertThat(old.sent.getLast().path("method").asString()).isEqualTo("session/set_model");
        old.read("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32602,\"message\":\"unknown\"}}");
        assertThat(old.last())
                .isEqualTo(new FinalReport.Failure(Cause.AGENT_ERROR, "it would not use the model fast: unknown"));
    }

    @Test
    void the_system_prompt_is_sent_once_in_a_conversation() {
        var rules = Optional.of("Be brief.");
        var first = new AcpReplay(job(Optional.empty(), rules, Optional.empty(), Usage.NONE)).opened(AcpReplay.SESSION);
        assertThat(first.sent.getLast().toString()).contains("Be brief.\\n\\ndo it");

        var next = new AcpReplay(job(Optional.empty(), rules, Optional.of("s1"), Usage.NONE)).opened("{}");
        assertThat(next.sent.getLast().toString()).contains("\"text\":\"do it\"");
    }

    @Test
    void cost_is_counted_from_the_end_of_the_last_attempt() {
        var before = new Usage(1000, 0, 50, Optional.of(5000L), 3);
        var resumed = new AcpReplay(job(Optional.empty(), Optional.empty(), Optional.of("s1"), before)).opened("{}");
        resumed.update(
                "{\"sessionUpdate\":\"usage_update\",\"used\":900,\"cost\":{\"amount\":0.007,\"currency\":\"USD\"}}");
        assertThat(resumed.state().usage()).isEqualTo(new Usage(0, 0, 0, Optional.of(2000L), 0));

        var reset = new AcpReplay(job(Optional.empty(), Optional.empty(), Optional.of("s1"), before)).opened("{}");
        for (var amount : List.of("0.004", "0.006"))
            reset.update(
                    "{\"sessionUpdate\":\"usage_update\",\"used\":2000,\"cost\":{\"amount\":%s,\"currency\":\"USD\"}}"
                            .formatted(amount));
        assertThat(reset.state().usage()).isEqualTo(new Usage(950, 0, 0, Optional.of(6000L), 0));
    }

    @Test
    void a_conversation_that_cannot_be_resumed_is_not_restarted() {
        var scene = new AcpReplay(AcpReplay.job(Permissions.SAFE, "go on", Optional.of("s1")));
        scene.answer("{\"protocolVersion\":1,\"agentCapabilities\":{}}");

        assertThat(scene.failure())
                .map(FinalReport.Failure::reason)
                .contains("this agent cannot take up a conversation again");
    }

    @Test
    void another_version_of_the_protocol_is_reported() {
        var scene = AcpReplay.with(Permissions.SAFE);
        scene.answer("{\"protocolVersion\":2}");

        assertThat(scene.failure())
                .map(FinalReport.Failure::reason)
                .contains("it speaks version 2 of ACP, and Roost version 1");
    }

    @Test
    void an_agent_without_a_command_is_refused_with_an_example() {
        var task = new Task(List.of(), Optional.of("do it"));

        assertThatThrownBy(() -> Drivers.of("acp").check(AgentProfile.plain("acp"), task, Path.of("/"), Map.of()))
                .isInstanceOfSatisfying(BadInput.class, refused -> {
                    assertThat(refused).hasMessageContaining("\"acp\" has no command");
                    assertThat(refused.hint())
                            .contains("[agents.acp] driver = \"acp\" command = [\"gemini\", \"--acp\"]");
                });
    }

    @Test
    void an_agent_is_started_with_its_profile_and_initialized() {
        var launch = Drivers.of("acp").launch(AcpReplay.job(Permissions.SAFE, "do it", Optional.empty()));

        assertThat(launch.argv()).containsExactly("it", "--acp");
        assertThat(launch.input())
                .isInstanceOfSatisfying(
                        LaunchCommand.AgentStdin.Pipe.class,
                        pipe -> assertThat(pipe.first())
                                .contains("\"method\":\"initialize\"", "\"protocolVersion\":1"));
    }
}
