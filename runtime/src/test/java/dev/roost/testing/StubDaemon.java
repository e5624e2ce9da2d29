package dev.roost.testing;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.AttemptSpec;
import dev.roost.home.Home;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.node.NodeGuard;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;

/**
 * A minimal daemon for tests of the guard: it starts the guard and launches perches. It reads orders from standard input:
 * {@code run ID SCRIPT}, {@code close}. It prints {@code ready PID} with the guard's pid, and {@code done} after each order.
 */
public final class StubDaemon {

    private StubDaemon() {}

    public static void main(String[] arguments) throws IOException {
        var home = Home.open(Path.of(arguments[0]));
        var cgroups = arguments[2].equals("grouped") ? Cgroups.open() : Cgroups.none();
        var launcher = new PerchLauncher(home, cgroups);
        try (var guard = NodeGuard.start(home, Duration.ofMillis(Long.parseLong(arguments[1])), cgroups)) {
            System.out.println("ready " + guard.pid());
            var orders = new Scanner(System.in, StandardCharsets.UTF_8);
            while (orders.hasNextLine()) {
                var words = orders.nextLine().split(" ", 3);
                if (words[0].equals("close")) break;
                launch(home, launcher, new RunId(words[1]), words[2]);
                System.out.println("done");
            }
        }
        System.out.println("done");
    }

    public static ProcessId launch(Home home, PerchLauncher launcher, RunId run, String script) throws IOException {
        return launch(home, launcher, run, prepare(home, run, script));
    }

    public static ProcessId launch(Home home, PerchLauncher launcher, RunId run, AttemptDirectory directory)
            throws IOException {
        return launcher.launch(
                launcher.tree(run, 1, directory),
                directory,
                Map.of("ROOST_HOME", home.root().toString(), "ROOST_RUN_ID", run.text(), "ROOST_ATTEMPT", "1"));
    }

    public static AttemptDirectory prepare(Home home, RunId run, String script) throws IOException {
        return prepare(home, run, script, AttemptSpec.Input.NOTHING, Map.of());
    }

    public static AttemptDirectory prepare(
            Home home, RunId run, String script, AttemptSpec.Input input, Map<String, String> more) throws IOException {
        home.run(run).create();
        var directory = home.run(run).attempt(1);
        var environment = new HashMap<>(more);
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("SCRATCH", home.root().resolveSibling("scratch").toString());
        directory.create(
                new AttemptSpec(List.of("sh", "-c", script), Path.of("/"), "022", input, Optional.empty()),
                environment,
                Optional.empty(),
                "one");
        return directory;
    }
}
