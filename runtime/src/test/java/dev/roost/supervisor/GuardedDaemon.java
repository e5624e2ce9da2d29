package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
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
 * Does what of a daemon matters to its guard: holds it, and sends perches off. Takes orders on standard input: {@code run ID
 * SCRIPT}, {@code close}. Says {@code ready PID} with the guard's pid once it is there, and {@code done} after each order.
 */
final class GuardedDaemon {

    private GuardedDaemon() {}

    public static void main(String[] arguments) throws IOException {
        var home = Home.open(Path.of(arguments[0]));
        var cgroups = arguments[2].equals("grouped") ? Cgroups.open() : Cgroups.none();
        var perches = new Perches(home, cgroups);
        try (var guard = Guard.start(home, Duration.ofMillis(Long.parseLong(arguments[1])), cgroups)) {
            System.out.println("ready " + guard.pid());
            var orders = new Scanner(System.in, StandardCharsets.UTF_8);
            while (orders.hasNextLine()) {
                var words = orders.nextLine().split(" ", 3);
                if (words[0].equals("close")) break;
                launch(home, perches, new RunId(words[1]), words[2]);
                System.out.println("done");
            }
        }
        System.out.println("done");
    }

    static ProcessId launch(Home home, Perches perches, RunId run, String script) throws IOException {
        return launch(home, perches, run, prepare(home, run, script));
    }

    static ProcessId launch(Home home, Perches perches, RunId run, AttemptDirectory directory) throws IOException {
        return perches.launch(
                perches.tree(run, 1, directory),
                directory,
                Map.of("ROOST_HOME", home.root().toString(), "ROOST_RUN_ID", run.text(), "ROOST_ATTEMPT", "1"));
    }

    static AttemptDirectory prepare(Home home, RunId run, String script) throws IOException {
        return prepare(home, run, script, Spec.Input.NOTHING, Map.of());
    }

    static AttemptDirectory prepare(Home home, RunId run, String script, Spec.Input input, Map<String, String> more)
            throws IOException {
        home.run(run).create();
        var directory = home.run(run).attempt(1);
        var environment = new HashMap<>(more);
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("SCRATCH", home.root().resolveSibling("scratch").toString());
        directory.create(
                new Spec(List.of("sh", "-c", script), Path.of("/"), "022", input, Optional.empty()),
                environment,
                Optional.empty(),
                "one");
        return directory;
    }
}
