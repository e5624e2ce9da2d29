package dev.roost.daemon.socket;

import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.web.SignIn;
import java.nio.file.Path;
import java.util.Optional;

/** What the socket needs to know of the daemon around it; {@code http} is its address, where it has one. */
public record DaemonFacts(
        Path home,
        Path socket,
        String version,
        ProjectFiles projects,
        Mint mint,
        SignIn signIn,
        Optional<String> http,
        Runnable shutdown) {}
