package dev.roost.cli.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A unit of the user's systemd. */
record SystemdUnit(Path config, Path launcher, Optional<Path> home) implements ServiceManagerUnit {

    private static final String NAME = "roost.service";
    private static final String LINGER =
            "When you log out, systemd ends the daemon and its agents, unless you say once: loginctl enable-linger";

    @Override
    public Path file() {
        return config.resolve("systemd/user").resolve(NAME);
    }

    @Override
    public String text() {
        return """
                # Written by `roost daemon install`.
                [Unit]
                Description=Roost runs agents in the background and never loses one
                # somebody else's daemon may hold the home for a while: try for as long as it takes
                StartLimitIntervalSec=0

                [Service]
                Type=exec
                ExecStart=%s daemon run
                %s# the agents go on when the daemon stops, and when one of them takes too much memory the daemon goes on
                KillMode=process
                OOMPolicy=continue
                # a cgroup for each run, so that nothing an agent starts can escape its end
                Delegate=yes
                Restart=always
                RestartSec=1
                SuccessExitStatus=143

                [Install]
                WantedBy=default.target
                """.formatted(
                        command(launcher.toString()),
                        home.map(path -> "Environment=" + quoted("ROOST_HOME=" + path) + "\n")
                                .orElse(""));
    }

    /** systemd starts no program with a quote or a backslash in its path; env does. In its arguments a $ is special. */
    private static String command(String path) {
        boolean refused = path.chars().anyMatch(c -> c == '"' || c == '\'' || c == '\\');
        return refused ? "/usr/bin/env " + quoted(path.replace("$", "$$")) : quoted(path);
    }

    /** One word, whatever is in it: systemd reads quotes, backslashes and percent signs. */
    private static String quoted(String word) {
        return "\""
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("%", "%%")
                        .replace("\n", "\\n") + "\"";
    }

    @Override
    public ServiceResult enable(Runnable makeRoom) {
        var bus = Systemctl.reach();
        if (!bus.ok()) {
            return new ServiceResult(
                    false,
                    false,
                    List.of(
                            "Not started: your systemd cannot be reached (%s).".formatted(bus.said()),
                            "Where it can be: systemctl --user daemon-reload && systemctl --user enable --now " + NAME,
                            LINGER));
        }
        var read = Systemctl.user("daemon-reload");
        if (read.ok()) makeRoom.run();
        var started = read.ok() ? Systemctl.user("enable", "--now", NAME) : read;
        if (!started.ok()) {
            return new ServiceResult(
                    false, true, List.of("systemd did not start it: %s.".formatted(started.said()), LINGER));
        }
        return new ServiceResult(
                true,
                false,
                List.of(
                        "systemd keeps the daemon now, and starts it again whenever it ends.",
                        "To stop it: systemctl --user stop %s (the agents go on).".formatted(NAME),
                        LINGER));
    }

    @Override
    public ServiceResult disable(Runnable remove) {
        var bus = Systemctl.reach();
        var stopped = bus.ok() ? Systemctl.user("disable", "--now", NAME) : bus;
        remove.run();
        removeStaleLink();
        if (!bus.ok()) {
            return new ServiceResult(
                    false,
                    false,
                    List.of("A daemon that runs was not stopped: systemd cannot be reached (%s)."
                            .formatted(bus.said())));
        }
        Systemctl.user("daemon-reload");
        if (!stopped.ok())
            return new ServiceResult(false, true, List.of("systemd did not stop it: %s.".formatted(stopped.said())));
        return new ServiceResult(
                true, false, List.of("The daemon is stopped; the agents go on. The next command starts another one."));
    }

    /** Where systemd could not be reached, its link to the file would be left. */
    private void removeStaleLink() {
        var wish = file().resolveSibling("default.target.wants").resolve(NAME);
        try {
            if (Files.isSymbolicLink(wish)) Files.delete(wish);
        } catch (IOException e) {
            // a link to nothing is ignored by systemd
        }
    }
}
