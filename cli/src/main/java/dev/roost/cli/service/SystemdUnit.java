package dev.roost.cli.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The daemon as a unit of the user's systemd. */
record SystemdUnit(Path config, Path launcher, Optional<Path> home) implements ServiceManagerUnit {

    private static final String NAME = "roost.service";
    private static final String LINGER =
            "At your logout, systemd ends the daemon and its agents, unless you once run: loginctl enable-linger";

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
            # another daemon may hold the home's lock for a while: retry without limit
            StartLimitIntervalSec=0

            [Service]
            Type=exec
            ExecStart=%s daemon run
            %s# agents survive a stop of the daemon; the daemon survives an out-of-memory kill of an agent
            KillMode=process
            OOMPolicy=continue
            # a cgroup for each run, so that no process of an agent outlives it
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

    /** systemd refuses a program path with a quote or a backslash, so env starts it; in arguments, $ is escaped. */
    private static String command(String path) {
        boolean refused = path.chars().anyMatch(c -> c == '"' || c == '\'' || c == '\\');
        return refused ? "/usr/bin/env " + quoted(path.replace("$", "$$")) : quoted(path);
    }

    /** Quotes a word; systemd interprets quotes, backslashes and percent signs. */
    private static String quoted(String word) {
        return "\""
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("%", "%%")
                        .replace("\n", "\\n") + "\"";
    }

    @Override
    public ServiceResult enable(Runnable stopDaemon) {
        var bus = ServiceManagerCommand.systemctl("show-environment");
        if (!bus.ok())
            return ServiceResult.undone(
                    "Not started: your systemd cannot be reached (%s).".formatted(bus.output()),
                    "To start it later: systemctl --user daemon-reload && systemctl --user enable --now " + NAME,
                    LINGER);
        var read = ServiceManagerCommand.systemctl("daemon-reload");
        if (read.ok()) stopDaemon.run();
        var started = read.ok() ? ServiceManagerCommand.systemctl("enable", "--now", NAME) : read;
        if (!started.ok())
            return ServiceResult.failed("systemd did not start it: %s.".formatted(started.output()), LINGER);
        return ServiceResult.done(
                "systemd runs the daemon now, and restarts it when it exits.",
                "To stop it: systemctl --user stop %s (agents continue).".formatted(NAME),
                LINGER);
    }

    @Override
    public ServiceResult disable(Runnable remove) {
        var bus = ServiceManagerCommand.systemctl("show-environment");
        var stopped = bus.ok() ? ServiceManagerCommand.systemctl("disable", "--now", NAME) : bus;
        remove.run();
        removeStaleLink();
        if (!bus.ok())
            return ServiceResult.undone(
                    "A running daemon was not stopped: systemd cannot be reached (%s).".formatted(bus.output()));
        ServiceManagerCommand.systemctl("daemon-reload");
        if (!stopped.ok()) return ServiceResult.failed("systemd did not stop it: %s.".formatted(stopped.output()));
        return ServiceResult.stopped();
    }

    /** Removes systemd's link to the file, which stays if systemd cannot be reached. */
    private void removeStaleLink() {
        var link = file().resolveSibling("default.target.wants").resolve(NAME);
        try {
            if (Files.isSymbolicLink(link)) Files.delete(link);
        } catch (IOException e) {
            // systemd ignores a dangling link
        }
    }
}
