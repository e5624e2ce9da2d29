package dev.roost.cli.demo;

import dev.roost.chaos.TemporaryDirectory;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Show how runs survive: six agents; kill -9 of the daemon and of an agent; then recovery.",
            "Runs for half a minute on real processes in a temporary home, checks each point, and exits non-zero if a",
            "check fails."
        })
public final class DemoCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        try {
            var home = TemporaryDirectory.directory("roost-demo-");
            try (var story = new DemoScript(home)) {
                return story.run() ? 0 : 1;
            } finally {
                TemporaryDirectory.remove(home);
            }
        } catch (IOException e) {
            throw ChaosCommand.noScene(e);
        }
    }
}
