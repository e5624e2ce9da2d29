package dev.roost.daemon.socket;

import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.daemon.web.SignIn;
import java.nio.file.Path;
import java.util.Optional;

/** What the socket needs to know of the daemon around it; {@code http} is its address, where it has one. */
public record DaemonInfo(
        Path home,
        Path socket,
        String version,
        ProjectFiles projects,
        TokenService mint,
        SignIn signIn,
        Optional<String> http,
        Runnable shutdown) {}
