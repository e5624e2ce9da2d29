package dev.roost.ledger;

import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Owner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Access tokens of programs. */
public record TokenStore(LedgerContext context) {

    public void add(TokenRecord token) {
        context.write(handle -> handle.execute(
                "INSERT INTO token (id, sha256, owner, scope, created_at, expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                token.id(),
                token.sha256(),
                token.owner(),
                token.scope(),
                token.createdAt(),
                token.expiresAt(),
                token.usedAt()));
    }

    /** The token whose secret has this hash. */
    public Optional<TokenRecord> find(String sha256) {
        return context.read(handle ->
                handle.select("SELECT * FROM token WHERE sha256 = ?", sha256).optional(row -> token(row)));
    }

    /** All tokens, oldest first. */
    public List<TokenRecord> all() {
        return context.read(handle ->
                handle.select("SELECT * FROM token ORDER BY created_at, id").list(row -> token(row)));
    }

    /** Records that the token was used now; false if the token no longer exists. */
    public boolean recordUse(String id) {
        return context.write(
                handle -> handle.execute("UPDATE token SET used_at = ? WHERE id = ?", context.now(), id) == 1);
    }

    /** Deletes a token; false if there is none with this id. */
    public boolean revoke(String id) {
        return context.write(handle -> handle.execute("DELETE FROM token WHERE id = ?", id) == 1);
    }

    private static TokenRecord token(ResultSet row) throws SQLException {
        return new TokenRecord(
                row.getString("id"),
                row.getString("sha256"),
                new Owner(row.getString("owner")),
                row.getString("scope"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                RowMappers.time(row, "expires_at"),
                RowMappers.time(row, "used_at"));
    }
}
