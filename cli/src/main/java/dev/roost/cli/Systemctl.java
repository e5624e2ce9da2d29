package dev.roost.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** {@code systemctl --user …} and what it said. */
final class Systemctl {

    private Systemctl() {}

    record Answer(boolean ok, String said) {}

    /** Whether there is a systemd of this user to talk to. */
    static Answer reach() {
        return user("show-environment");
    }

    static Answer user(String... words) {
        var command = new ArrayList<>(List.of("systemctl", "--user"));
        command.addAll(List.of(words));
        try {
            var process = new ProcessBuilder(command)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Answer(process.waitFor() == 0, sentence(said));
        } catch (IOException e) {
            return new Answer(false, "there is no systemctl");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String sentence(String said) {
        String last = said.strip().lines().reduce("it did not say why", (_, line) -> line);
        return Style.safe(last.endsWith(".") ? last.substring(0, last.length() - 1) : last);
    }
}
