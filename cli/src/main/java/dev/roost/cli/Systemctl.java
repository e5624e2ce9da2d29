package dev.roost.cli;

import java.util.ArrayList;
import java.util.List;

/** {@code systemctl --user …} and what it said. */
final class Systemctl {

    private Systemctl() {}

    /** Whether there is a systemd of this user to talk to. */
    static Answer reach() {
        return user("show-environment");
    }

    static Answer user(String... words) {
        var command = new ArrayList<>(List.of("systemctl", "--user"));
        command.addAll(List.of(words));
        return Answer.to(command.toArray(String[]::new));
    }
}
