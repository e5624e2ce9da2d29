package dev.roost.daemon.http;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.daemon.tokens.Secret;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.model.Owner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Checks that a request is meant for this listener and has a valid token. Pages of other sites pass neither check. */
public final class Authenticator {

    private static final System.Logger LOG = System.getLogger(Authenticator.class.getName());
    private static final Pattern BEARER = Pattern.compile("(?i:Bearer) +(\\S{1,200})");

    private static final int MOST_FAILURES = 20;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Secret operator;
    private final Secret metricsSecret;
    private final TokenService tokens;
    private final Function<String, Owner> owners;
    private final ListenAddress address;
    private final Clock clock;
    private final Deque<Long> recentFailures = new ArrayDeque<>();

    public Authenticator(
            Secret operator,
            Secret metricsSecret,
            TokenService tokens,
            Function<String, Owner> owners,
            ListenAddress address,
            Clock clock) {
        this.operator = operator;
        this.metricsSecret = metricsSecret;
        this.tokens = tokens;
        this.owners = owners;
        this.address = address;
        this.clock = clock;
    }

    /** Refuses foreign host names, which a page could point to this machine (DNS rebinding), and pages of other origins. */
    public void checkHostAndOrigin(WebRequest request) {
        var hosts = request.headers("Host");
        if (hosts.size() != 1 || !address.isOurs(hosts.getFirst()))
            throw ErrorCode.FOREIGN_HOST.error("The header Host does not name this listener.");
        for (var origin : request.headers("Origin"))
            if (!address.isOurOrigin(origin))
                throw ErrorCode.FOREIGN_ORIGIN.error("The header Origin does not name this listener.");
    }

    /** Lets the operator in, and clients with the secret for metrics only. */
    public void authenticateForMetrics(WebRequest request) {
        if (presentedSecret(request)
                .filter(secret -> matches(secret, metricsSecret))
                .isPresent()) return;
        if (authenticate(request).token().isEmpty()) return;
        throw ErrorCode.OPERATORS_ONLY.error(
                "This token is for one owner, and the metrics cover the runs of all owners.");
    }

    private static Optional<Secret> presentedSecret(WebRequest request) {
        var header = request.headers("Authorization");
        if (header.isEmpty()) {
            throw unauthorized(ErrorCode.NO_TOKEN.error("The request has no token."), "");
        }
        return Optional.of(BEARER.matcher(header.getFirst().strip()))
                .filter(shape -> header.size() == 1 && shape.matches())
                .map(shape -> new Secret(shape.group(1)));
    }

    public Principal authenticate(WebRequest request) {
        var secret = presentedSecret(request);
        if (secret.filter(one -> matches(one, operator)).isPresent()) return new Principal(Optional.empty(), owners);
        var known = secret.flatMap(tokens::find);
        if (known.filter(one -> !one.scope().page()).isEmpty()) throw wrong();
        if (known.get().token().expired(clock.now())) {
            throw unauthorized(
                    ErrorCode.TOKEN_EXPIRED.error("The token %s has expired."
                            .formatted(known.get().token().id())),
                    ", error=\"invalid_token\"");
        }
        request.revalidateWith(() -> tokens.isGood(known.get().token()));
        return new Principal(known, owners);
    }

    private static boolean matches(Secret presented, Secret known) {
        return MessageDigest.isEqual(
                presented.sha256().getBytes(StandardCharsets.US_ASCII),
                known.sha256().getBytes(StandardCharsets.US_ASCII));
    }

    /** Counts one more request with a wrong secret; true if too many came within a minute. */
    private synchronized boolean failsTooOften() {
        long now = clock.monotonicNanos();
        while (!recentFailures.isEmpty() && now - recentFailures.getFirst() > WINDOW.toNanos())
            recentFailures.removeFirst();
        if (recentFailures.size() == MOST_FAILURES) return true;
        recentFailures.addLast(now);
        return false;
    }

    private HttpError wrong() {
        if (failsTooOften()) {
            return new HttpError(
                    ErrorCode.TOO_MANY_FAILURES.error("Too many requests came with a wrong token."),
                    Map.of("Retry-After", "60"));
        }
        LOG.log(System.Logger.Level.WARNING, "refused a request with an unknown token");
        return unauthorized(
                ErrorCode.BAD_TOKEN.error("The token is unknown here: it was revoked, or it belongs to another home."),
                ", error=\"invalid_token\"");
    }

    private static HttpError unauthorized(RoostError because, String detail) {
        return new HttpError(because, Map.of("WWW-Authenticate", "Bearer realm=\"roost\"" + detail));
    }
}
