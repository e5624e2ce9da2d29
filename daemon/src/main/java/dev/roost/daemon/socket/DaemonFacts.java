package dev.roost.daemon.socket;

import dev.roost.daemon.config.ProjectFiles;
import java.nio.file.Path;

/** What the socket needs to know of the daemon around it. */
public record DaemonFacts(Path home, Path socket, String version, ProjectFiles projects, Runnable shutdown) {}
