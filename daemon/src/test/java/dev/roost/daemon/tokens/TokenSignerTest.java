package dev.roost.daemon.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.base.Clock;
import dev.roost.base.Refusal;
import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Owner;
import dev.roost.node.TokenKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** What a token alone proves, and how rarely the key is queried. */
class TokenSignerTest {

    private static final Owner OWNER = new Owner("ci:nightly");
    private static final Instant END = Instant.parse("2030-01-01T00:00:00.123456789Z");

    private final Random chance = new Random(8);
    private long nanos;
    private int asked;
    private Optional<TokenKey> key = Optional.of(key(0xabcdef012345L, 1));

    private final Clock clock = new Clock() {
        @Override
        public Instant now() {
            return Instant.EPOCH.plusNanos(nanos);
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }

        @Override
        public long sleptNanos() {
            return 0;
        }
    };

    private TokenKey key(long cluster, int generation) {
        var bytes = new byte[32];
        chance.nextBytes(bytes);
        return new TokenKey(cluster, generation, new SecretKeySpec(bytes, "HmacSHA256"));
    }

    private TokenSigner signatures() {
        return new TokenSigner(
                () -> {
                    asked++;
                    return key;
                },
                clock);
    }

    private static Secret secret(TokenSigner by) {
        return by.secret("t_1", OWNER, "{}", Optional.of(END));
    }

    private static Optional<String> against(TokenSigner tokenSigner, Secret secret) {
        return tokenSigner.refusalOf(secret).map(Refusal::code);
    }

    private static TokenRecord row(String id, String owner, String scope, Optional<Instant> expires) {
        return new TokenRecord(id, "", new Owner(owner), scope, Instant.EPOCH, expires, Optional.empty());
    }

    @Test
    void a_signature_is_verified_by_another_node() {
        var secret = secret(signatures());
        assertThat(against(signatures(), secret)).isEmpty();
        assertThat(secret.toString()).isEqualTo("roost_…");
        assertThat(key.orElseThrow().toString()).isEqualTo("key 1 of abcdef012345");
    }

    @Test
    void any_changed_character_invalidates_a_token_without_a_query() {
        var tokenSigner = signatures();
        var secret = secret(tokenSigner);
        nanos += Duration.ofHours(1).toNanos();
        asked = 0;
        var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        int newer = 0;
        for (int at = "roost_".length(); at < secret.text().length(); at++) {
            for (int i = 0; i < letters.length(); i++) {
                if (letters.charAt(i) == secret.text().charAt(at)) continue;
                var altered = new StringBuilder(secret.text());
                altered.setCharAt(at, letters.charAt(i));
                var signedSecret =
                        SignedSecret.of(new Secret(altered.toString())).orElseThrow();
                if (signedSecret.cluster() == 0xabcdef012345L && signedSecret.generation() > 1) newer++;
                assertThat(against(tokenSigner, new Secret(altered.toString())))
                        .as("%d %s", at, letters.charAt(i))
                        .isPresent();
            }
        }
        assertThat(newer).isPositive();
        assertThat(asked)
                .as("queries for a newer key, for all tokens that claim one")
                .isEqualTo(1);
    }

    @Test
    void a_token_of_another_cluster_or_of_no_cluster_is_reported_as_such() {
        var tokenSigner = signatures();
        key = Optional.of(key(0xabcdef012344L, 1));
        var foreign = secret(signatures());
        asked = 0;
        assertThat(against(tokenSigner, foreign)).contains("foreign_token");
        assertThat(against(tokenSigner, Secret.create())).contains("token_unsigned");
        assertThat(against(tokenSigner, new Secret("roost_"))).contains("bad_token");
        assertThat(against(tokenSigner, new Secret(foreign.text() + "A"))).contains("bad_token");
        assertThat(asked).isZero();
    }

    @Test
    void a_home_outside_a_cluster_signs_no_tokens_and_accepts_no_signed_ones() {
        var cluster = secret(signatures());
        key = Optional.empty();
        var alone = signatures();
        var secret = secret(alone);
        assertThat(secret.wellFormed()).isTrue();
        assertThat(against(alone, secret)).isEmpty();
        assertThat(alone.isOf(secret, row("t_1", "a:b", "{}", Optional.empty())))
                .isTrue();
        assertThat(against(alone, cluster)).contains("bad_token");
    }

    @Test
    void a_new_key_is_noticed_within_a_second_and_queried_no_more_often() {
        var one = signatures();
        var other = signatures();
        var before = secret(one);
        key = Optional.of(key(0xabcdef012345L, 2));
        var after = secret(one);
        assertThat(against(one, before)).contains("token_key_replaced");
        assertThat(against(one, after)).isEmpty();

        assertThat(against(other, before)).as("the key was read just now").isEmpty();
        assertThat(against(other, after)).contains("bad_token");
        nanos += Duration.ofSeconds(1).toNanos();
        asked = 0;
        for (int i = 0; i < 1000; i++) {
            assertThat(against(other, before)).contains("token_key_replaced");
            assertThat(against(other, after)).isEmpty();
        }
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void a_token_row_that_differs_from_the_signed_data_is_rejected() {
        var tokenSigner = signatures();
        var secret = secret(tokenSigner);
        assertThat(tokenSigner.isOf(secret, row("t_1", "ci:nightly", "{}", Optional.of(END))))
                .isTrue();
        var kept = Instant.ofEpochMilli(END.toEpochMilli());
        assertThat(tokenSigner.isOf(secret, row("t_1", "ci:nightly", "{}", Optional.of(kept))))
                .as("with the ledger's precision")
                .isTrue();
        assertThat(tokenSigner.isOf(secret, row("t_2", "ci:nightly", "{}", Optional.of(END))))
                .isFalse();
        assertThat(tokenSigner.isOf(secret, row("t_1", "ci:nightly{", "}", Optional.of(END))))
                .isFalse();
        assertThat(tokenSigner.isOf(secret, row("t_1", "ci:nightly", "{}", Optional.empty())))
                .isFalse();
    }
}
