package dev.roost.daemon.rest;

import dev.roost.base.BadInput;
import dev.roost.daemon.http.Principal;
import dev.roost.daemon.http.WebRequest;
import dev.roost.daemon.mcp.PathMap;
import dev.roost.daemon.mcp.ToolClient;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import dev.roost.service.RoostService;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** A client that calls tools over HTTP. It is known only by its token and the headers of each request. */
final class TokenClient implements ToolClient {

    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,200}");
    private static final Duration TIMEOUT_WITHOUT_PROGRESS = Duration.ofSeconds(50); // proxies often wait for a minute
    private static final Duration TIMEOUT_WITH_PROGRESS = Duration.ofHours(1);

    private final RoostService service;
    private final String bearer;
    private final Owner owner;
    private final Optional<TokenScope> scope;
    private final Optional<Path> directory;
    private final Optional<String> key;
    private final boolean streams;

    /** {@code streams}: the client takes messages before the answer. */
    TokenClient(RoostService service, Principal principal, WebRequest request, boolean streams) {
        this(service, principal, principal.owner(request), request, streams);
    }

    TokenClient(RoostService service, Principal principal, Owner owner, WebRequest request, boolean streams) {
        this.service = service;
        this.bearer = principal.id();
        this.owner = owner;
        this.scope =
                principal instanceof Principal.TokenPrincipal holder ? Optional.of(holder.scope()) : Optional.empty();
        this.directory = scope.map(TokenScope::directory).or(() -> directory(request));
        this.key = request.header("Idempotency-Key").map(TokenClient::key);
        this.streams = streams;
    }

    private static Optional<Path> directory(WebRequest request) {
        return request.header("Roost-Directory").map(text -> {
            try {
                var path = Path.of(text);
                if (path.isAbsolute() && Files.isDirectory(path)) return path;
            } catch (InvalidPathException e) {
                // reported below
            }
            throw new BadInput(
                    "no_such_directory",
                    "The header Roost-Directory names no directory here.",
                    "Send an existing one, as an absolute path.");
        });
    }

    private static String key(String text) {
        if (KEY.matcher(text).matches()) return text;
        throw new BadInput(
                "bad_idempotency_key",
                "The header Idempotency-Key is not 1 to 200 visible ASCII characters.",
                "Send a UUID, say.");
    }

    @Override
    public Owner owner(Optional<String> session) {
        if (service.sessions().find(owner).isEmpty()) {
            service.sessions()
                    .record(new SessionReport(
                            owner,
                            harness(),
                            directory.map(Path::toString),
                            Optional.empty(),
                            new SessionEvent.SessionSeen()));
        }
        return owner;
    }

    @Override
    public String harness() {
        var prefix = owner.id().substring(0, owner.id().indexOf(':'));
        return prefix.equals("claude") ? "claude-code" : prefix;
    }

    /** The token's directory, or the one that the operator's request names; else the session's home, else the user's. */
    @Override
    public Path home(Owner owner) {
        return directory
                .or(() -> service.sessions()
                        .find(owner)
                        .flatMap(OwnerSession::home)
                        .map(Path::of)
                        .filter(Files::isDirectory))
                .orElseGet(() -> Path.of(System.getProperty("user.home")));
    }

    /** PATH and HOME of the daemon, and the variables of the token. Runs get nothing else of the daemon's environment. */
    @Override
    public Map<String, String> environment() {
        var environment = new TreeMap<String, String>();
        for (var name : new String[] {"PATH", "HOME"}) {
            var value = System.getenv(name);
            if (value != null) environment.put(name, value);
        }
        scope.map(TokenScope::environment).ifPresent(environment::putAll);
        return environment;
    }

    @Override
    public Duration patience(boolean hearsProgress) {
        return streams && hearsProgress ? TIMEOUT_WITH_PROGRESS : TIMEOUT_WITHOUT_PROGRESS;
    }

    /** Includes the owner, because the operator's token serves many owners: a repeated key must not return another's run. */
    @Override
    public Optional<String> callKey(String requestId) {
        return key.map(text -> "%s:%s:%s".formatted(bearer, owner, text));
    }

    @Override
    public StartRequest.Origin origin() {
        return StartRequest.Origin.UNKNOWN;
    }

    @Override
    public ClientLimits limits() {
        return scope.map(one -> new ClientLimits(one.agents(), one.maxLive(), one.launcher(), new PathMap(one.paths())))
                .orElse(ClientLimits.NONE);
    }
}
