package dev.roost.daemon.tokens;

import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.ledger.Token;
import dev.roost.run.BadInput;
import dev.roost.run.Clock;
import dev.roost.run.Owner;
import dev.roost.run.Refused;
import dev.roost.run.Words;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Makes tokens, knows them again, and takes them back. */
public final class Mint {

    public static final Duration PAGE_LASTS = Duration.ofDays(30);

    private static final SecureRandom CHANCE = new SecureRandom();
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration BETWEEN_MARKS = Duration.ofMinutes(1);

    private final House house;
    private final Clock clock;
    private final Signatures signatures;

    public Mint(House house, Clock clock) {
        this.house = house;
        this.clock = clock;
        this.signatures = new Signatures(house::tokenKey, clock);
    }

    /** A token as it is, and what it may do. */
    public record Known(Token token, Scope scope) {}

    /** A new token, and its secret for the only time. */
    public record Fresh(Token token, Scope scope, Secret secret) {}

    /** {@code params}: the fields of a scope, {@code owner} and {@code expires}. */
    public Fresh make(Params params) {
        var owner = house.owner(params.required("owner"));
        var scope = new ScopeRules(house).checked(Scope.read(params));
        var now = clock.now();
        var expires = params.duration("expires").map(Mint::sensible).map(now::plus);
        return made(owner, scope, now, expires);
    }

    /** For the browser of a person. */
    public Fresh forThePage() {
        var now = clock.now();
        all().stream()
                .filter(known -> known.scope().page() && known.token().expired(now))
                .forEach(
                        known -> house.tokens().revoke(known.token().id())); // nobody else would take them off the list
        return made(new Owner("roost:page"), Scope.OF_THE_PAGE, now, Optional.of(now.plus(PAGE_LASTS)));
    }

    private Fresh made(Owner owner, Scope scope, Instant now, Optional<Instant> expires) {
        var id = "t_" + Long.toString(CHANCE.nextLong(1L << 50, 1L << 51), 36);
        var bounds = scope.json().toString();
        var secret = signatures.secret(id, owner, bounds, expires);
        var token = new Token(id, secret.sha256(), owner, bounds, now, expires, Optional.empty());
        house.tokens().add(token);
        return new Fresh(token, scope, secret);
    }

    private static Duration sensible(Duration time) {
        if (!time.isZero() && time.compareTo(LONGEST) <= 0) return time;
        throw new BadInput(
                "bad_duration",
                "expires=%s is not between 1 millisecond and %d days.".formatted(Words.span(time), LONGEST.toDays()),
                "Pass one like 30d, or omit it for a token that does not expire.");
    }

    public List<Known> all() {
        return house.tokens().all().stream().map(Mint::known).toList();
    }

    private static Known known(Token token) {
        return new Known(token, Scope.read(token.scope()));
    }

    /** Why nobody is let in by what was shown, as far as can be told from it alone. */
    public Refused whyNot(Optional<Secret> shown) {
        return shown.flatMap(signatures::against).orElseGet(Signatures::unknown);
    }

    /** The token of this secret, be it expired. It is marked as used, though not for every one of many calls. */
    public Optional<Known> find(Secret secret) {
        if (signatures.against(secret).isPresent()) return Optional.empty();
        var token = house.tokens().find(secret.sha256()).filter(row -> signatures.isOf(secret, row));
        token.filter(one -> !one.expired(clock.now()))
                .filter(one -> one.usedAt()
                        .filter(at -> at.plus(BETWEEN_MARKS).isAfter(clock.now()))
                        .isEmpty())
                .ifPresent(one -> house.tokens().used(one.id()));
        return token.map(Mint::known);
    }

    /** Whether a token that was found before has neither been revoked nor expired since. */
    public boolean isGood(Token token) {
        return house.tokens()
                .find(token.sha256())
                .filter(one -> !one.expired(clock.now()))
                .isPresent();
    }

    /** Revokes all tokens, and lets nobody make one with the old key: how many those were. */
    public int rotateKey() {
        if (house.tokenKey().isPresent()) return house.rotateTokenKey();
        throw new Refused(
                "no_token_key",
                "This home is alone: its tokens are signed by no key.",
                "`roost token revoke` takes a token back; docs/cluster.md tells of homes that share a ledger.");
    }

    public void revoke(String id) {
        if (house.tokens().revoke(id)) return;
        throw new BadInput(
                "no_such_token",
                "There is no token \"%s\".".formatted(Words.printable(id)),
                "`roost token list` shows them; their ids look like t_….");
    }
}
