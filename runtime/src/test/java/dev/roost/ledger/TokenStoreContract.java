package dev.roost.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.record.TokenRecord;
import dev.roost.ledger.testing.LedgerFixture;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Access tokens: lookup, expiry, revocation. */
interface TokenStoreContract extends LedgerFixture {

    @Test
    default void a_token_is_found_by_the_hash_of_its_secret_until_it_is_revoked() {
        var month = clock().now().plus(Duration.ofDays(30));
        var token = new TokenRecord("t_one", "cafe", OWNER, "{}", clock().now(), Optional.of(month), Optional.empty());
        ledger().tokens().add(token);
        ledger().tokens()
                .add(new TokenRecord(
                        "t_two", "beef", OTHER_OWNER, "{}", clock().now(), Optional.empty(), Optional.empty()));
        reopen();
        assertThat(ledger().tokens().find("cafe")).contains(token);
        assertThat(ledger().tokens().find("CAFE")).isEmpty();
        assertThat(token.expired(month.minusMillis(1))).isFalse();
        assertThat(token.expired(month)).isTrue();

        clock().advance(Duration.ofMinutes(5));
        assertThat(ledger().tokens().recordUse("t_one")).isTrue();
        assertThat(ledger().tokens().find("cafe").flatMap(TokenRecord::usedAt)).contains(clock().now());

        assertThat(ledger().tokens().revoke("t_one")).isTrue();
        assertThat(ledger().tokens().revoke("t_one")).isFalse();
        assertThat(ledger().tokens().recordUse("t_one")).isFalse();
        assertThat(ledger().tokens().find("cafe")).isEmpty();
        assertThat(ledger().tokens().all()).extracting(TokenRecord::id).containsExactly("t_two");
    }
}
