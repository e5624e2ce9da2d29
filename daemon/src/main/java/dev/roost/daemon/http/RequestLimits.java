package dev.roost.daemon.http;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.CallerLimits;
import dev.roost.daemon.api.PathMap;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.engine.StartRequest;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.service.RoostService;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The limits of a request's sender, by its token and its headers. */
public final class RequestLimits {

    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,200}");

    private RequestLimits() {}

    /** {@code owner}: the owner that the sender acts for. */
    public static CallerLimits of(RoostService service, Principal principal, Owner owner, WebRequest request) {
        var prefix = owner.id().substring(0, owner.id().indexOf(':'));
        return new CallerLimits(
                new Caller(owner, false),
                true,
                directory(principal, request).or(() -> home(service, owner)).orElseGet(RequestLimits::home),
                prefix.equals("claude") ? "claude-code" : prefix,
                environment(principal.scope()),
                StartRequest.Origin.UNKNOWN,
                // with the owner, because the operator's token serves many: a repeated key must not return another's
                // run
                request.header("Idempotency-Key")
                        .map(RequestLimits::key)
                        .map(key -> "%s:%s:%s".formatted(principal.id(), owner, key)),
                principal
                        .scope()
                        .map(one -> new CallerLimits.TokenTerms(
                                one.agents(), one.maxLive(), one.launcher(), new PathMap(one.paths())))
                        .orElse(CallerLimits.TokenTerms.NONE));
    }

    /** The token's directory, or the one that the operator's request names. */
    public static Optional<Path> directory(Principal principal, WebRequest request) {
        return principal
                .scope()
                .map(TokenScope::directory)
                .or(() -> request.header("Roost-Directory").map(RequestLimits::existing));
    }

    private static Path existing(String text) {
        try {
            var path = Path.of(text);
            if (path.isAbsolute() && Files.isDirectory(path)) return path;
        } catch (InvalidPathException e) {
            // reported below
        }
        throw ErrorCode.NO_SUCH_DIRECTORY.error(
                "The header Roost-Directory names no directory here.", "Send an existing one, as an absolute path.");
    }

    private static Optional<Path> home(RoostService service, Owner owner) {
        return service.sessions()
                .find(owner)
                .flatMap(OwnerSession::home)
                .map(Path::of)
                .filter(Files::isDirectory);
    }

    /** The directory of requests that name none, and whose session has none. */
    public static Path home() {
        return Path.of(System.getProperty("user.home"));
    }

    /** PATH and HOME of the daemon, and the variables of the token. Runs get nothing else of the daemon's environment. */
    private static Map<String, String> environment(Optional<TokenScope> scope) {
        var environment = new TreeMap<String, String>();
        for (var name : new String[] {"PATH", "HOME"}) {
            var value = System.getenv(name);
            if (value != null) environment.put(name, value);
        }
        scope.map(TokenScope::environment).ifPresent(environment::putAll);
        return environment;
    }

    private static String key(String text) {
        if (KEY.matcher(text).matches()) return text;
        throw ErrorCode.BAD_IDEMPOTENCY_KEY.error(
                "The header Idempotency-Key is not 1 to 200 visible ASCII characters.");
    }
}
