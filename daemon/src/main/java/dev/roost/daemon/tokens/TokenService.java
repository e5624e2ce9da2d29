package dev.roost.daemon.tokens;

import dev.roost.base.Clock;
import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import dev.roost.daemon.api.RequestFields;
import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Owner;
import dev.roost.service.RoostService;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Creates, finds and revokes tokens. */
public final class TokenService {

    public static final Duration PAGE_LASTS = Duration.ofDays(30);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration USE_INTERVAL = Duration.ofMinutes(1);

    private final RoostService service;
    private final Clock clock;

    public TokenService(RoostService service, Clock clock) {
        this.service = service;
        this.clock = clock;
    }

    /** A token and its parsed scope. */
    public record KnownToken(TokenRecord token, TokenScope scope) {}

    /** A new token with its secret, which is returned only this once. */
    public record NewToken(TokenRecord token, TokenScope scope, Secret secret) {}

    /** {@code requestFields}: the fields of a scope, {@code owner} and {@code expires}. */
    public NewToken make(RequestFields requestFields) {
        var owner = service.owner(requestFields.required("owner"));
        var scope = new ScopeRules(service).checked(TokenScope.read(requestFields));
        var now = clock.now();
        var expires = requestFields
                .duration("expires")
                .map(TokenService::checkDuration)
                .map(now::plus);
        return create(owner, scope, now, expires);
    }

    /** Creates a token for a person's browser. */
    public NewToken createForPage() {
        var now = clock.now();
        all().stream()
                .filter(known -> known.scope().page() && known.token().expired(now))
                .forEach(known ->
                        service.tokens().revoke(known.token().id())); // nothing else removes them from the list
        return create(new Owner("roost:page"), TokenScope.OF_THE_PAGE, now, Optional.of(now.plus(PAGE_LASTS)));
    }

    private NewToken create(Owner owner, TokenScope scope, Instant now, Optional<Instant> expires) {
        var id = "t_" + Long.toString(RANDOM.nextLong(1L << 50, 1L << 51), 36);
        var secret = Secret.create();
        var token =
                new TokenRecord(id, secret.sha256(), owner, scope.json().toString(), now, expires, Optional.empty());
        service.tokens().add(token);
        return new NewToken(token, scope, secret);
    }

    private static Duration checkDuration(Duration time) {
        if (!time.isZero() && time.compareTo(LONGEST) <= 0) return time;
        throw ErrorCode.BAD_DURATION.error(
                "expires=%s is not between 1 millisecond and %d days."
                        .formatted(TextFormat.span(time), LONGEST.toDays()),
                "Pass one like 30d, or omit it for a token that does not expire.");
    }

    public List<KnownToken> all() {
        return service.tokens().all().stream().map(TokenService::known).toList();
    }

    private static KnownToken known(TokenRecord token) {
        return new KnownToken(token, TokenScope.read(token.scope()));
    }

    /** The token of this secret, even if it has expired. Records its use, at most once a minute. */
    public Optional<KnownToken> find(Secret secret) {
        if (!secret.wellFormed()) return Optional.empty(); // costs no query
        var token = service.tokens().find(secret.sha256());
        token.filter(one -> !one.expired(clock.now()))
                .filter(one -> one.usedAt()
                        .filter(at -> at.plus(USE_INTERVAL).isAfter(clock.now()))
                        .isEmpty())
                .ifPresent(one -> service.tokens().recordUse(one.id()));
        return token.map(TokenService::known);
    }

    /** Whether a token that was found before has neither been revoked nor expired since. */
    public boolean isGood(TokenRecord token) {
        return service.tokens()
                .find(token.sha256())
                .filter(one -> !one.expired(clock.now()))
                .isPresent();
    }

    public void revoke(String id) {
        if (service.tokens().revoke(id)) return;
        throw ErrorCode.NO_SUCH_TOKEN.error("There is no token \"%s\".".formatted(TextFormat.printable(id)));
    }
}
