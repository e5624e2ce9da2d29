package dev.roost.cli.demo;

import dev.roost.chaos.TemporaryDirectory;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "The overnight story: six agents, a daemon and an agent killed with -9, and the morning after.",
            "It runs for half a minute on real processes in a throw-away home, checks each point, and exits non-zero if a",
            "promise was broken."
        })
public final class DemoCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        try {
            var home = TemporaryDirectory.directory("roost-demo-");
            try (var story = new DemoScript(home)) {
                return story.tell() ? 0 : 1;
            } finally {
                TemporaryDirectory.remove(home);
            }
        } catch (IOException e) {
            throw ChaosCommand.noScene(e);
        }
    }
}
