package dev.roost.conformance;

import static dev.roost.conformance.model.JsonObjects.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.agents.AgentCliRun;
import dev.roost.conformance.agents.CodexAcpCli;
import dev.roost.conformance.agents.MinimalAcpClient;
import dev.roost.conformance.model.ScriptedModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each real CLI alone follows the scripted model and reports success in its own way. */
@Timeout(300)
class AgentCliSmokeProcessTest {

    private static final String PROMPT = "SCRIPT=bash?cmd=echo%20hi|done";

    @TempDir
    Path directory;

    private ScriptedModel model;

    @BeforeEach
    void start() throws IOException {
        model = ScriptedModel.start();
    }

    @AfterEach
    void stop() {
        model.close();
    }

    @Test
    void claude_reports_success() throws Exception {
        var run = run(AgentCliCatalog.CLAUDE, "-p", "--output-format", "stream-json", "--verbose");

        assertThat(run.exit()).as(run.errors()).isZero();
        var result = run.last("result");
        assertThat(result.path("subtype").asString()).isEqualTo("success");
        assertThat(result.path("is_error").asBoolean()).isFalse();
        assertThat(result.path("result").asString()).isEqualTo("done");
        assertThat(result.path("usage").path("output_tokens").asInt()).isEqualTo(40);
        theToolSaidHi();
    }

    @Test
    void codex_completes_its_turn() throws Exception {
        var run = run(
                AgentCliCatalog.CODEX,
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                "-");

        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(run.last("turn.completed")
                        .path("usage")
                        .path("output_tokens")
                        .asInt())
                .isEqualTo(40);
        assertThat(run.last("item.completed").path("item").path("text").asString())
                .isEqualTo("done");
        theToolSaidHi();
    }

    @Test
    void opencode_finishes_its_last_step() throws Exception {
        var run = run(AgentCliCatalog.OPENCODE, "run", "--format", "json");

        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(run.last("step_finish").path("part").path("reason").asString())
                .isEqualTo("stop");
        assertThat(run.last("text").path("part").path("text").asString()).isEqualTo("done");
        theToolSaidHi();
    }

    @Test
    void gemini_reports_success() throws Exception {
        var run = run(AgentCliCatalog.GEMINI, "--output-format", "stream-json", "--approval-mode", "yolo");

        assertThat(run.exit()).as(run.errors()).isZero();
        assertThat(run.last("result").path("status").asString()).isEqualTo("success");
        assertThat(run.last("message").path("content").asString()).isEqualTo("done");
        theToolSaidHi();
    }

    @Test
    void gemini_ends_its_turn_over_acp() throws Exception {
        endsItsTurn(AgentCliCatalog.GEMINI, "--acp");
    }

    @Test
    void opencode_ends_its_turn_over_acp() throws Exception {
        endsItsTurn(AgentCliCatalog.OPENCODE, "acp");
    }

    @Test
    void codex_acp_ends_its_turn() throws Exception {
        endsItsTurn(AgentCliCatalog.CODEX_ACP);
    }

    @Test
    void claude_agent_acp_ends_its_turn() throws Exception {
        endsItsTurn(AgentCliCatalog.CLAUDE_ACP);
    }

    private AgentCliRun run(AgentCli agentCli, String... arguments) throws Exception {
        return AgentCliRun.of(AgentCliHome.fresh(agentCli, directory, model), command(agentCli, arguments), PROMPT);
    }

    private void endsItsTurn(AgentCli agentCli, String... arguments) throws Exception {
        var home = AgentCliHome.fresh(agentCli, directory, model);
        try (var agent = new MinimalAcpClient(home, command(agentCli, arguments))) {
            agent.call("initialize", object("protocolVersion", 1, "clientCapabilities", object()));
            var session = agent.call("session/new", object("cwd", home.project().toString(), "mcpServers", List.of()));
            var id = session.path("sessionId");
            if (agentCli instanceof CodexAcpCli) { // its sandbox needs bubblewrap
                agent.call("session/set_mode", object("sessionId", id, "modeId", "full-access"));
            }

            var end = agent.call(
                    "session/prompt",
                    object("sessionId", id, "prompt", List.of(object("type", "text", "text", PROMPT))));

            assertThat(end.path("stopReason").asString()).isEqualTo("end_turn");
            assertThat(agent.said()).isEqualTo("done");
            theToolSaidHi();
        }
    }

    private static List<String> command(AgentCli agentCli, String... arguments) throws Exception {
        return Stream.concat(AgentCliCatalog.command(agentCli).stream(), Stream.of(arguments))
                .toList();
    }

    private void theToolSaidHi() {
        assertThat(model.asked().getLast().modelRequest().toolResults())
                .singleElement()
                .asString()
                .contains("hi");
    }
}
