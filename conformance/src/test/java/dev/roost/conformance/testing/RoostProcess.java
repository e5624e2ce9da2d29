package dev.roost.conformance.testing;

import dev.roost.agents.AgentProfile;
import dev.roost.config.EngineConfig;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.model.Budget;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** A Roost in a process that can be killed like a daemon. */
final class RoostProcess {

    private RoostProcess() {}

    /** Starts a run, waits until its tool works, kills the process; returns the run's id. */
    static String startAndDie(SingleAgentFixture singleAgentFixture, String prompt) throws Exception {
        var words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                RoostProcess.class.getName(),
                singleAgentFixture.home().toString(),
                singleAgentFixture.agentCliHome.path().toString(),
                singleAgentFixture.agentCliHome.project().toString(),
                singleAgentFixture
                        .subject()
                        .profile(dev.roost.agents.Permissions.ALL)
                        .json(),
                prompt));
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().putAll(singleAgentFixture.agentCliHome.environment());
        builder.environment().put("ROOST_DAEMON", "1");
        var process = builder.start();
        try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String id = String.valueOf(out.readLine());
            singleAgentFixture.awaitTool("tool.pid");
            return id;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.remove("ROOST_DAEMON");
        var agentCliHome = new AgentCliHome(Path.of(arguments[1]), Path.of(arguments[2]), environment);
        Files.createDirectories(agentCliHome.project());
        var roost = SingleAgentFixture.open(
                Path.of(arguments[0]), AgentProfile.read(arguments[3]), EngineConfig.DEFAULT.questionPolicy());
        var run = roost.start(
                SingleAgentFixture.request(agentCliHome, arguments[4], Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT)));
        System.out.println(run.id());
        new CountDownLatch(1).await();
    }
}
