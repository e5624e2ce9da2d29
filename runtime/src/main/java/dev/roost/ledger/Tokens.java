package dev.roost.ledger;

import dev.roost.run.Owner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Tokens as rows. */
final class Tokens {

    private Tokens() {}

    static void add(Handle handle, Token token) {
        handle.execute(
                "INSERT INTO token (id, sha256, owner, scope, created_at, expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                token.id(),
                token.sha256(),
                token.owner().id(),
                token.scope(),
                token.createdAt().toEpochMilli(),
                token.expiresAt().map(Instant::toEpochMilli).orElse(null),
                token.usedAt().map(Instant::toEpochMilli).orElse(null));
    }

    static Optional<Token> find(Handle handle, String sha256) {
        return handle.select("SELECT * FROM token WHERE sha256 = ?", sha256)
                .map((row, _) -> token(row))
                .findOne();
    }

    static List<Token> all(Handle handle) {
        return handle.select("SELECT * FROM token ORDER BY created_at, id")
                .map((row, _) -> token(row))
                .list();
    }

    static boolean used(Handle handle, String id, long now) {
        return handle.execute("UPDATE token SET used_at = ? WHERE id = ?", now, id) == 1;
    }

    static boolean revoke(Handle handle, String id) {
        return handle.execute("DELETE FROM token WHERE id = ?", id) == 1;
    }

    private static Token token(ResultSet row) throws SQLException {
        return new Token(
                row.getString("id"),
                row.getString("sha256"),
                new Owner(row.getString("owner")),
                row.getString("scope"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Rows.time(row, "expires_at"),
                Rows.time(row, "used_at"));
    }
}
