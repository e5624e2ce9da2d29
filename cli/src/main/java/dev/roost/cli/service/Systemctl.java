package dev.roost.cli.service;

import java.util.ArrayList;
import java.util.List;

/** {@code systemctl --user …} and what it said. */
final class Systemctl {

    private Systemctl() {}

    /** Whether there is a systemd of this user to talk to. */
    static ServiceReply reach() {
        return user("show-environment");
    }

    static ServiceReply user(String... words) {
        var command = new ArrayList<>(List.of("systemctl", "--user"));
        command.addAll(List.of(words));
        return ServiceReply.to(command.toArray(String[]::new));
    }
}
