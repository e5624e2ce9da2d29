package dev.roost.conformance;

import dev.roost.agents.Profile;
import dev.roost.run.Budget;
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

/** A Roost in a process of its own, to be killed as a daemon is killed. */
final class Caretaker {

    private Caretaker() {}

    /** Starts a run there, waits until its tool is at work, and kills the process; the run's id. */
    static String startAndDie(Stage stage, String prompt) throws Exception {
        var words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Caretaker.class.getName(),
                stage.home().toString(),
                stage.cliHome.path().toString(),
                stage.cliHome.project().toString(),
                stage.subject().profile(dev.roost.agents.Permissions.ALL).json(),
                prompt));
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().putAll(stage.cliHome.environment());
        builder.environment().put("ROOST_DAEMON", "1");
        var process = builder.start();
        try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String id = String.valueOf(out.readLine());
            stage.awaitTool("tool.pid");
            return id;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.remove("ROOST_DAEMON");
        var cliHome = new CliHome(Path.of(arguments[1]), Path.of(arguments[2]), environment);
        Files.createDirectories(cliHome.project());
        var roost =
                Stage.open(Path.of(arguments[0]), Profile.read(arguments[3]), dev.roost.house.Config.DEFAULT.asking());
        var run = roost.start(Stage.request(cliHome, arguments[4], Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT)));
        System.out.println(run.id());
        new CountDownLatch(1).await();
    }
}
