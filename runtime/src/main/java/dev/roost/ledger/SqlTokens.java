package dev.roost.ledger;

import dev.roost.run.Owner;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Tokens as rows. */
record SqlTokens(Pen pen, Reader reader) implements Tokens {

    @Override
    public void add(Token token) {
        pen.writer()
                .write(handle -> handle.execute(
                        "INSERT INTO token (id, sha256, owner, scope, created_at, expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        token.id(),
                        token.sha256(),
                        token.owner().id(),
                        token.scope(),
                        token.createdAt().toEpochMilli(),
                        token.expiresAt().map(Instant::toEpochMilli).orElse(null),
                        token.usedAt().map(Instant::toEpochMilli).orElse(null)));
    }

    @Override
    public Optional<Token> find(String sha256) {
        return reader.with(handle ->
                handle.select("SELECT * FROM token WHERE sha256 = ?", sha256).optional(row -> token(row)));
    }

    @Override
    public List<Token> all() {
        return reader.with(handle ->
                handle.select("SELECT * FROM token ORDER BY created_at, id").list(row -> token(row)));
    }

    @Override
    public boolean used(String id) {
        return pen.writer()
                .write(handle -> handle.execute("UPDATE token SET used_at = ? WHERE id = ?", pen.now(), id) == 1);
    }

    @Override
    public boolean revoke(String id) {
        return pen.writer().write(handle -> handle.execute("DELETE FROM token WHERE id = ?", id) == 1);
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
