package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.base.Broken;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.cluster.files.SharedFileInput;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.model.ScriptStep;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.conformance.testing.ClusterMachineFixture;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.conformance.testing.UserCheckout;
import dev.roost.model.RunId;
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Real CLIs work on a machine that is lost, and continue on another one where they were. */
@Timeout(300)
class AgentCliTakeoverClusterTest {

    private static final AgentCli[] CLIS = {AgentCliCatalog.CLAUDE, AgentCliCatalog.CODEX};

    /** Only the tool's result has the word "feather". */
    private static final String WORK = "echo heron > new.txt; echo more >> a.txt; printf fea%s ther";

    @TempDir
    Path directory;

    private final String ledger = PostgresServer.shared().newDatabase();

    @Test
    void real_agents_of_a_lost_machine_continue_elsewhere_with_their_conversation_and_files() throws Exception {
        var root = directory.toRealPath();
        try (var model = ScriptedModel.start()) {
            var origin = repository(root, model);
            try (var one = new ClusterMachineFixture(root.resolve("one"), model, ledger, origin, CLIS)) {
                var runs = new LinkedHashMap<AgentCli, RunId>();
                for (var agentCli : CLIS) runs.put(agentCli, one.start(agentCli, owner(agentCli), prompt(agentCli)));
                for (var run : runs.entrySet()) awaitKept(one, model, run.getKey(), run.getValue());
                try (var two = new ClusterMachineFixture(root.resolve("two"), model, ledger, origin, CLIS)) {
                    one.lose(runs.values());
                    for (var run : runs.entrySet()) goesOn(two, model, run.getKey(), run.getValue());
                }
            }
        }
    }

    private static Path repository(Path root, ScriptedModel model) throws Exception {
        var user = AgentCliHome.fresh(AgentCliCatalog.CLAUDE, Files.createDirectories(root.resolve("forge")), model);
        user.environment().putAll(Map.of("GIT_AUTHOR_NAME", "Ada", "GIT_AUTHOR_EMAIL", "ada@example.org"));
        user.environment().putAll(Map.of("GIT_COMMITTER_NAME", "Ada", "GIT_COMMITTER_EMAIL", "ada@example.org"));
        var origin = new UserCheckout(user, user.project());
        origin.git("init", "-q", "-b", "main");
        origin.write("a.txt", "one\n");
        origin.commit("first");
        return origin.top();
    }

    private static String owner(AgentCli agentCli) {
        return "claude:parent-of-" + agentCli.name();
    }

    /** The model does not answer after the tool's result until the machine is another one. */
    private static String prompt(AgentCli agentCli) {
        return "MARK-%s SCRIPT=bash?cmd=%s|hang?once|%s is done"
                .formatted(agentCli.name(), OwnerSessionFixture.encoded(WORK), agentCli.name());
    }

    private static List<RequestRecord> asked(ScriptedModel model, AgentCli agentCli) {
        return model.asked().stream()
                .filter(one -> !one.modelRequest().tools().isEmpty())
                .filter(one -> one.modelRequest().messages().stream()
                        .anyMatch(message -> message.text().contains("MARK-" + agentCli.name())))
                .toList();
    }

    /** Waits until it is busy and its bundle is uploaded. */
    private void awaitKept(ClusterMachineFixture node, ScriptedModel model, AgentCli agentCli, RunId run) {
        var source = new PGSimpleDataSource();
        source.setUrl("jdbc:" + ledger);
        var sharedFiles = new PostgresFileStore(source);
        await().atMost(SingleAgentFixture.SOON)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptionsInstanceOf(Broken.class) // the file was replaced while it was read
                .untilAsserted(() -> {
                    assertThat(asked(model, agentCli))
                            .as("%s", node.ask("show", "run_id", run.text()))
                            .anyMatch(one -> one.answer() instanceof ScriptStep.Hang);
                    assertThat(text(sharedFiles, run, SharedFileName.CONVERSATION))
                            .contains("MARK-" + agentCli.name(), "feather");
                    var ref = node.ask("show", "run_id", run.text())
                            .at("/work/rescue_ref")
                            .asString("HEAD");
                    assertThat(node.clone.git("ls-tree", "--name-only", ref)).contains("new.txt");
                    assertThat(text(sharedFiles, run, SharedFileName.WORK)).contains(node.clone.git("rev-parse", ref));
                });
    }

    /** The content of that shared file, as text. */
    private static String text(PostgresFileStore store, RunId run, SharedFileName name) throws IOException {
        var kept = store.find(run, name);
        if (kept.isEmpty()) return "";
        try (var in = new SharedFileInput(store, run, kept.get())) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static void goesOn(ClusterMachineFixture node, ScriptedModel model, AgentCli agentCli, RunId run)
            throws Exception {
        var end = node.ask("output", "run_id", run.text(), "block", true, "timeout_ms", "90s");
        var shown = node.ask("show", "run_id", run.text());
        assertThat(end.path("status").asString()).as(shown.toPrettyString()).isEqualTo("completed");
        assertThat(end.path("result").asString()).isEqualTo(agentCli.name() + " is done");
        assertThat(shown.path("attempt").asInt()).isEqualTo(2);
        assertThat(shown.path("node").asString()).isEqualTo("two");

        var heard = asked(model, agentCli).getLast().modelRequest();
        assertThat(heard.toolResults())
                .as("the tool's result of the lost machine")
                .anyMatch(answer -> answer.contains("feather"));
        assertThat(heard.messages()).anyMatch(message -> message.text().contains("its machine was lost"));

        var worktree = node.home.worktree(run);
        assertThat(worktree.resolve("new.txt")).hasContent("heron\n");
        assertThat(worktree.resolve("a.txt")).hasContent("one\nmore\n");

        var inbox = node.ask("inbox", "owner", owner(agentCli));
        assertThat(inbox.path("notices")).as(inbox.toPrettyString()).hasSize(1);
        assertThat(inbox.path("digest").asString()).contains("restarted after a loss", "may have happened twice");
        assertThat(shown.at("/attempts/0/evidence/note").asString()).contains("may have been done twice");
    }
}
