package dev.roost.cli.service;

import dev.roost.cli.client.Style;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Exit status and last output line of a service manager's command. */
record ServiceManagerCommand(boolean ok, String output) {

    static ServiceManagerCommand run(List<String> words) {
        try {
            var process = new ProcessBuilder(words)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            var last = output.strip().lines().reduce("it printed no reason", (_, line) -> line);
            var sentence = Style.safe(last.endsWith(".") ? last.substring(0, last.length() - 1) : last);
            return new ServiceManagerCommand(process.waitFor() == 0, sentence);
        } catch (IOException e) {
            return new ServiceManagerCommand(false, words.getFirst() + " is not installed");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code systemctl --user}. */
    static ServiceManagerCommand systemctl(String... words) {
        return run(Stream.concat(Stream.of("systemctl", "--user"), Stream.of(words))
                .toList());
    }
}
