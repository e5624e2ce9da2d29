package dev.roost.daemon.tokens;

import dev.roost.base.Clock;
import dev.roost.base.Refusal;
import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Owner;
import dev.roost.node.TokenKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signs a cluster's tokens, and checks signatures, so that only secrets with a valid signature cost a query of the ledger. A home
 * outside of a cluster signs nothing.
 */
final class TokenSigner {

    private static final System.Logger LOG = System.getLogger(TokenSigner.class.getName());
    private static final Duration STALE = Duration.ofSeconds(1);

    /** A key, and the time at which it was read. */
    private record CachedKey(TokenKey key, long at) {}

    private final Supplier<Optional<TokenKey>> source;
    private final Clock clock;
    private volatile @Nullable CachedKey cached;

    TokenSigner(Supplier<Optional<TokenKey>> source, Clock clock) {
        this.source = source;
        this.clock = clock;
        source.get().ifPresent(this::cache);
    }

    private TokenKey cache(TokenKey key) {
        cached = new CachedKey(key, clock.monotonicNanos());
        return key;
    }

    /** Creates a secret for this token, signed with the present key. */
    Secret secret(String id, Owner owner, String scope, Optional<Instant> expires) {
        return source.get()
                .map(key -> SignedSecret.make(cache(key), id, owner, scope, expires))
                .orElseGet(Secret::create);
    }

    /** The reason why the secret is refused without a query; empty if the ledger has to be asked. */
    Optional<Refusal> refusalOf(Secret secret) {
        var known = cached;
        if (known == null) return secret.wellFormed() ? Optional.empty() : Optional.of(unknown());
        var signedSecret = SignedSecret.of(secret);
        if (signedSecret.isEmpty()) return Optional.of(secret.wellFormed() ? unsigned() : unknown());
        if (signedSecret.get().cluster() != known.key.cluster()) return Optional.of(foreign());
        return refusalOf(signedSecret.get(), known);
    }

    /** Reads the key again if it may have been replaced, at most once a second. */
    private Optional<Refusal> refusalOf(SignedSecret signedSecret, CachedKey known) {
        var key = signedSecret.generation() > known.key.generation() ? fresh(known) : known.key;
        if (signedSecret.generation() < key.generation()) return Optional.of(replaced());
        if (signedSecret.generation() > key.generation() || !signedSecret.isSignedBy(key))
            return Optional.of(unknown());
        return fresh(known).generation() == signedSecret.generation() ? Optional.empty() : Optional.of(replaced());
    }

    private synchronized TokenKey fresh(CachedKey known) {
        var newest = cached == null ? known : cached;
        if (clock.monotonicNanos() - newest.at < STALE.toNanos()) return newest.key;
        return cache(source.get().orElse(newest.key));
    }

    /** Whether the row still has the content that was signed, and was not edited in the database. */
    boolean isOf(Secret secret, TokenRecord row) {
        if (cached == null
                || SignedSecret.of(secret)
                        .filter(signedSecret -> signedSecret.matches(row))
                        .isPresent()) return true;
        LOG.log(System.Logger.Level.WARNING, "the row of the token {0} differs from its signed content", row.id());
        return false;
    }

    static Refusal unknown() {
        return new Refusal(
                "bad_token",
                "The token is unknown here: it was revoked, or it belongs to another home.",
                "`roost token list` shows the known ones; `roost token create` makes one.");
    }

    private static Refusal unsigned() {
        return new Refusal(
                "token_unsigned",
                "The token has no signature: it was not made in this cluster.",
                "Make another one on any of its nodes: `roost token create`.");
    }

    private static Refusal foreign() {
        return new Refusal(
                "foreign_token",
                "The token was made in another cluster.",
                "Use it with a node of that cluster, or make a token here: `roost token create`.");
    }

    private static Refusal replaced() {
        return new Refusal(
                "token_key_replaced",
                "The token was signed with a key that has been replaced.",
                "Make another one on any node: `roost token create`.");
    }
}
