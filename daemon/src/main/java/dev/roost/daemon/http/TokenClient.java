package dev.roost.daemon.http;

import dev.roost.daemon.mcp.Client;
import dev.roost.daemon.mcp.PathMap;
import dev.roost.daemon.tokens.Scope;
import dev.roost.house.House;
import dev.roost.house.StartRequest;
import dev.roost.ledger.Report;
import dev.roost.run.BadInput;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Somebody who calls tools over HTTP: all that is known of them is their token and what they say with each request. */
final class TokenClient implements Client {

    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,200}");
    private static final Duration OF_A_PROXY = Duration.ofSeconds(50);
    private static final Duration OF_ONE_WHO_IS_TOLD = Duration.ofHours(1);

    private final House house;
    private final String bearer;
    private final Owner owner;
    private final Optional<Scope> scope;
    private final Optional<Path> directory;
    private final Optional<String> key;
    private final boolean streams;

    /** {@code streams}: can be told something before the answer. */
    TokenClient(House house, Bearer bearer, Visit visit, boolean streams) {
        this(house, bearer, bearer.owner(visit), visit, streams);
    }

    TokenClient(House house, Bearer bearer, Owner owner, Visit visit, boolean streams) {
        this.house = house;
        this.bearer = bearer.id();
        this.owner = owner;
        this.scope = bearer instanceof Bearer.Holder holder ? Optional.of(holder.scope()) : Optional.empty();
        this.directory = scope.map(Scope::directory).or(() -> directory(visit));
        this.key = visit.header("Idempotency-Key").map(TokenClient::key);
        this.streams = streams;
    }

    private static Optional<Path> directory(Visit visit) {
        return visit.header("Roost-Directory").map(text -> {
            try {
                var path = Path.of(text);
                if (path.isAbsolute() && Files.isDirectory(path)) return path;
            } catch (InvalidPathException e) {
                // said below
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
        if (house.sessions().find(owner).isEmpty()) {
            house.sessions()
                    .hear(new Report(
                            owner, harness(), directory.map(Path::toString), Optional.empty(), new ParentEvent.Seen()));
        }
        return owner;
    }

    @Override
    public String harness() {
        var prefix = owner.id().substring(0, owner.id().indexOf(':'));
        return prefix.equals("claude") ? "claude-code" : prefix;
    }

    /** What the operator's session says of itself is as good as its word; a token's directory is the only one. */
    @Override
    public Path home(Owner owner) {
        return directory
                .or(() -> house.sessions()
                        .find(owner)
                        .flatMap(Parent::home)
                        .map(Path::of)
                        .filter(Files::isDirectory))
                .orElseGet(() -> Path.of(System.getProperty("user.home")));
    }

    /** Where programs are and where they keep their things; nothing else of the daemon's is for its runs. */
    @Override
    public Map<String, String> environment() {
        var environment = new TreeMap<String, String>();
        for (var name : new String[] {"PATH", "HOME"}) {
            var value = System.getenv(name);
            if (value != null) environment.put(name, value);
        }
        scope.map(Scope::environment).ifPresent(environment::putAll);
        return environment;
    }

    @Override
    public Duration patience(boolean hearsProgress) {
        return streams && hearsProgress ? OF_ONE_WHO_IS_TOLD : OF_A_PROXY;
    }

    /** The owner is part of it: the operator's token serves many, and none of them is given another's run. */
    @Override
    public Optional<String> callKey(String requestId) {
        return key.map(text -> "%s:%s:%s".formatted(bearer, owner, text));
    }

    @Override
    public StartRequest.Origin origin() {
        return StartRequest.Origin.UNKNOWN;
    }

    @Override
    public Limits limits() {
        return scope.map(one -> new Limits(one.agents(), one.maxLive(), one.launcher(), new PathMap(one.paths())))
                .orElse(Limits.NONE);
    }
}
