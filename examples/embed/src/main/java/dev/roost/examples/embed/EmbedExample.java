package dev.roost.examples.embed;

import dev.roost.Roost;
import dev.roost.RunRequest;
import dev.roost.Settings;
import java.nio.file.Path;
import java.time.Duration;

/** Counts lines in the background: {@code EmbedExample HOME FILE…}. After a kill and a restart it finds its run again. */
public final class EmbedExample {

    private EmbedExample() {}

    public static void main(String[] args) {
        var home = Path.of(args[0]);
        var files = String.join("\n", args).substring(args[0].length()).strip();
        var settings = Settings.DEFAULT.withOwner("app:embed").withAgent("counter", LineCounter.class);

        try (var roost = Roost.open(home, settings)) {
            // once: a restart of this program does not start a second run
            var run = roost.start(RunRequest.of("counter", files)
                    .named("count")
                    .once("count " + files)
                    .withMaxTime(Duration.ofMinutes(5)));
            System.out.println(run + ", its output grows in " + run.outputFile());

            var ended = roost.await(run.id(), Duration.ofMinutes(1));
            for (var notice : roost.inbox()) System.out.println("notice: " + notice.text());
            System.out.println(ended);
            roost.output(run.id()).result().ifPresent(System.out::println);
        }
    }
}
