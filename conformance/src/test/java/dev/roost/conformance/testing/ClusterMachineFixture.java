package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.agents.AgentCli;
import dev.roost.conformance.agents.AgentCliCatalog;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.home.Home;
import dev.roost.model.RunId;
import dev.roost.testing.RoostCommandLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A machine of a cluster: a user with real CLIs, a clone at a path of its own, and a daemon that can be killed. */
public final class ClusterMachineFixture implements AutoCloseable {

    final AgentCliHome user;
    public final UserCheckout clone;
    public final Home home;
    private final Path root;
    private final OperatorSocketClient line;
    private final Process daemon;

    public ClusterMachineFixture(Path root, ScriptedModel model, String ledger, Path origin, AgentCli... clis)
            throws Exception {
        this.root = Files.createDirectories(root);
        user = AgentCliHome.fresh(clis[0], Files.createDirectories(root.resolve("user")), model);
        for (var agentCli : clis)
            user.environment()
                    .putAll(AgentCliHome.fresh(agentCli, user.path(), model).environment());
        var name = root.getFileName().toString();
        clone = new UserCheckout(user, user.path().resolve("src-of-" + name));
        new UserCheckout(user, origin).git("clone", "-q", ".", clone.top().toString());
        home = new Home(root.resolve("home"));
        line = new OperatorSocketClient(home.root().resolve("roost.sock"));
        configure(name, ledger, clis);
        daemon = launch();
    }

    private void configure(String name, String ledger, AgentCli... clis) throws Exception {
        var toml = new StringBuilder("""
                ledger = "%s"
                checkpoint_every = "1s"
                [node]
                name = "%s"
                lease = "3s"
                grace = "7s"
                pack_every = "1s"
                directories = ["%s"]
                """.formatted(ledger, name, clone.top()));
        for (var agentCli : clis)
            toml.append("""
                    [agents.real-%s]
                    driver = "%s"
                    permissions = "all"
                    command = ["%s"]
                    """.formatted(
                    agentCli.name(), agentCli.name(), String.join("\", \"", AgentCliCatalog.command(agentCli))));
        Files.writeString(Files.createDirectories(root.resolve("config/roost")).resolve("config.toml"), toml);
    }

    private Process launch() throws IOException {
        var words = new ArrayList<>(RoostCommandLines.daemon("-Xmx192m", "--enable-native-access=ALL-UNNAMED"));
        words.add(home.root().toString());
        var errors = root.resolve("daemon.err");
        var builder = user.process(words).redirectError(errors.toFile());
        builder.environment()
                .putAll(Map.of(
                        "ROOST_DAEMON",
                        "1",
                        "XDG_CONFIG_HOME",
                        root.resolve("config").toString()));
        var process = builder.start();
        var line = new BufferedReader(process.inputReader(StandardCharsets.UTF_8)).readLine();
        assertThat(line).as(Files.readString(errors)).startsWith("{\"pid\":");
        return process;
    }

    public RunId start(AgentCli agentCli, String owner, String prompt) {
        var run = ask(
                "start",
                "owner",
                owner,
                "agent",
                "real-" + agentCli.name(),
                "prompt",
                prompt,
                "cwd",
                clone.top().toString(),
                "env",
                user.environment(),
                "worktree",
                true);
        return RunId.parse(run.path("run_id").asString()).orElseThrow();
    }

    public JsonNode ask(String method, Object... params) {
        return line.ask(method, params);
    }

    /** Kills daemon, perches and agents at once, like a power failure. */
    public void lose(Iterable<RunId> runs) throws Exception {
        daemon.destroyForcibly().waitFor();
        for (var run : runs) {
            var start = home.run(run).attempt(1).start().orElseThrow();
            SingleAgentFixture.kill(start.perch());
            SingleAgentFixture.kill(start.agent());
        }
    }

    @Override
    public void close() {
        daemon.destroyForcibly();
        daemon.onExit().join();
        await().atMost(SingleAgentFixture.SOON).until(() -> leftovers() == 0);
    }

    /** Ends perches and the guard, which would outlive the daemon. */
    private long leftovers() {
        return ProcessHandle.allProcesses()
                .filter(process -> isOurs(process.pid()))
                .peek(ProcessHandle::destroyForcibly)
                .count();
    }

    private boolean isOurs(long pid) {
        var directory = Path.of("/proc/" + pid);
        try {
            return SingleAgentFixture.lives(pid)
                    && (Files.readString(directory.resolve("environ"), StandardCharsets.ISO_8859_1)
                                    .contains("ROOST_HOME=" + home.root())
                            || Files.readString(directory.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                    .contains(home.root().toString()));
        } catch (IOException e) {
            return false; // ended
        }
    }
}
