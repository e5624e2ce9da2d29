package dev.roost.daemon.socket;

import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.daemon.web.SignIn;
import java.nio.file.Path;
import java.util.Optional;

/** The properties and services of the daemon that the socket uses; {@code http} is the listener's address, if it has one. */
public record DaemonInfo(
        Path home,
        Path socket,
        String version,
        ProjectFiles projects,
        TokenService tokens,
        SignIn signIn,
        Optional<String> http,
        Runnable shutdown) {}
