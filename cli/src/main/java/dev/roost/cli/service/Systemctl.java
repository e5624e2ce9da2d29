package dev.roost.cli.service;

import java.util.ArrayList;
import java.util.List;

/** Runs {@code systemctl --user}. */
final class Systemctl {

    private Systemctl() {}

    /** Whether the user's systemd can be reached. */
    static ServiceReply reach() {
        return user("show-environment");
    }

    static ServiceReply user(String... words) {
        var command = new ArrayList<>(List.of("systemctl", "--user"));
        command.addAll(List.of(words));
        return ServiceReply.to(command.toArray(String[]::new));
    }
}
