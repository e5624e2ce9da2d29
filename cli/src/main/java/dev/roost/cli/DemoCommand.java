package dev.roost.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
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
final class DemoCommand implements Callable<Integer> {

    @Override
    public Integer call() throws IOException {
        // not under /tmp: output must outlive what empties it, and a socket's path must be short
        var home = Files.createTempDirectory(Path.of("/var/tmp"), "roost-demo-");
        var story = new DemoStory(home);
        try {
            return story.tell() ? 0 : 1;
        } finally {
            story.close();
            try (var all = Files.walk(home)) {
                for (var file : all.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
            }
        }
    }
}
