package dev.roost.cli.service;

import dev.roost.cli.client.Style;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Exit status and last output line of a service manager's command. */
record ServiceReply(boolean ok, String output) {

    static ServiceReply to(String... words) {
        try {
            var process = new ProcessBuilder(words)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new ServiceReply(process.waitFor() == 0, sentence(output));
        } catch (IOException e) {
            return new ServiceReply(false, words[0] + " is not installed");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String sentence(String output) {
        String last = output.strip().lines().reduce("it printed no reason", (_, line) -> line);
        return Style.safe(last.endsWith(".") ? last.substring(0, last.length() - 1) : last);
    }
}
