package dev.roost.cluster;

import dev.roost.base.Broken;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.node.TokenKey;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.spec.SecretKeySpec;

/** Stores the key that signs the cluster's tokens as a fact of the ledger. The first node that needs it creates it. */
final class TokenKeyStore {

    private static final String NAME = "token_key";
    private static final int LAST = (1 << 24) - 1;
    private static final Pattern SHAPE = Pattern.compile("([0-9a-f]{12}) ([0-9]{1,8}) ([A-Za-z0-9_-]{43})");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Ledger ledger;
    private final ConnectionSource database;

    TokenKeyStore(Ledger ledger, ConnectionSource database) {
        this.ledger = ledger;
        this.database = database;
    }

    TokenKey current() {
        return ledger.read(TokenKeyStore::find).orElseGet(this::first);
    }

    /** If several nodes create a key at once, the first insert wins. */
    private TokenKey first() {
        return database.transact(handle -> {
            handle.execute(
                    "INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                    NAME,
                    text(RANDOM.nextLong(1L << 48), 1));
            return find(handle).orElseThrow();
        });
    }

    /** Also deletes all tokens: signed with the old key, they are invalid, and their rows would look valid. */
    int rotate() {
        var old = current();
        if (old.generation() == LAST)
            throw new IllegalStateException("the cluster's token key cannot be rotated any more");
        return database.transact(handle -> {
            int won = handle.execute(
                    "UPDATE fact SET value = ? WHERE name = ? AND value LIKE ?",
                    text(old.cluster(), old.generation() + 1),
                    NAME,
                    "%012x %d %%".formatted(old.cluster(), old.generation()));
            return won == 0 ? 0 : handle.execute("DELETE FROM token"); // lost the race against another rotation
        });
    }

    private static Optional<TokenKey> find(SqlConnection handle) {
        return handle.select("SELECT value FROM fact WHERE name = ?", NAME)
                .optional(SqlConnection::text)
                .map(TokenKeyStore::parse);
    }

    private static String text(long cluster, int generation) {
        var secret = new byte[32];
        RANDOM.nextBytes(secret);
        return "%012x %d %s"
                .formatted(
                        cluster,
                        generation,
                        Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    private static TokenKey parse(String text) {
        var shape = SHAPE.matcher(text);
        if (!shape.matches()) {
            throw new Broken(
                    "token_key_broken",
                    "The key that signs this cluster's tokens cannot be read.",
                    "Delete the row \"token_key\" of the table fact: all tokens end, and the daemons make a key when they are restarted.");
        }
        return new TokenKey(
                Long.parseLong(shape.group(1), 16),
                Integer.parseInt(shape.group(2)),
                new SecretKeySpec(Base64.getUrlDecoder().decode(shape.group(3)), "HmacSHA256"));
    }
}
