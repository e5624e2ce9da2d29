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
 * Signs a cluster's tokens, and tells from a secret alone that it is none of them: only what somebody with the key has made is worth
 * a question to the ledger. In a home that is alone nothing is signed.
 */
final class TokenSigner {

    private static final System.Logger LOG = System.getLogger(TokenSigner.class.getName());
    private static final Duration STALE = Duration.ofSeconds(1);

    /** A key, and when it was read. */
    private record CachedKey(TokenKey key, long at) {}

    private final Supplier<Optional<TokenKey>> source;
    private final Clock clock;
    private volatile @Nullable CachedKey kept;

    TokenSigner(Supplier<Optional<TokenKey>> source, Clock clock) {
        this.source = source;
        this.clock = clock;
        source.get().ifPresent(this::keep);
    }

    private TokenKey keep(TokenKey key) {
        kept = new CachedKey(key, clock.monotonicNanos());
        return key;
    }

    /** A new one for such a token, by the key as it is at this moment. */
    Secret secret(String id, Owner owner, String scope, Optional<Instant> expires) {
        return source.get()
                .map(key -> SignedSecret.make(keep(key), id, owner, scope, expires))
                .orElseGet(Secret::create);
    }

    /** Why this is no token of ours. */
    Optional<Refusal> refusalOf(Secret secret) {
        var known = kept;
        if (known == null) return secret.wellFormed() ? Optional.empty() : Optional.of(unknown());
        var seal = SignedSecret.of(secret);
        if (seal.isEmpty()) return Optional.of(secret.wellFormed() ? unsigned() : unknown());
        if (seal.get().cluster() != known.key.cluster()) return Optional.of(foreign());
        return refusalOf(seal.get(), known);
    }

    /** The key is read anew if another may be in its place: once a second at most, however many try their luck. */
    private Optional<Refusal> refusalOf(SignedSecret signedSecret, CachedKey known) {
        var key = signedSecret.generation() > known.key.generation() ? fresh(known) : known.key;
        if (signedSecret.generation() < key.generation()) return Optional.of(replaced());
        if (signedSecret.generation() > key.generation() || !signedSecret.isSignedBy(key))
            return Optional.of(unknown());
        return fresh(known).generation() == signedSecret.generation() ? Optional.empty() : Optional.of(replaced());
    }

    private synchronized TokenKey fresh(CachedKey known) {
        var newest = kept == null ? known : kept;
        if (clock.monotonicNanos() - newest.at < STALE.toNanos()) return newest.key;
        return keep(source.get().orElse(newest.key));
    }

    /** Whether the row is what the secret was made for, and not what somebody has written into it since. */
    boolean isOf(Secret secret, TokenRecord row) {
        if (kept == null
                || SignedSecret.of(secret)
                        .filter(signedSecret -> signedSecret.matches(row))
                        .isPresent()) return true;
        LOG.log(System.Logger.Level.WARNING, "the row of the token {0} is not what was signed", row.id());
        return false;
    }

    static Refusal unknown() {
        return new Refusal(
                "bad_token",
                "The token is not known here: it was revoked, or it is another home's.",
                "`roost token list` shows those that are; `roost token create` makes one.");
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
                "Ask a node of that one, or make a token here: `roost token create`.");
    }

    private static Refusal replaced() {
        return new Refusal(
                "token_key_replaced",
                "The token was signed with a key that has been replaced since.",
                "Make another one on any node: `roost token create`.");
    }
}
