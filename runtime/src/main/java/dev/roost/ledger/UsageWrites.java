package dev.roost.ledger;

import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Usage;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/** Records what attempts used and what their owners spent, both in one transaction, so that a crash counts nothing twice. */
final class UsageWrites {

    private UsageWrites() {}

    static boolean record(
            SqlConnection handle, String node, RunId run, int attempt, AttemptProgress progress, Instant now) {
        return record(handle, node, RunStore.require(handle, run), attempt, progress, now);
    }

    /** Records the progress of a run that the caller has read in this transaction. */
    static boolean record(
            SqlConnection handle, String node, RunRecord found, int attempt, AttemptProgress progress, Instant now) {
        var run = found.id();
        if (found.latest().n() != attempt || found.status().ended()) return false;
        if (progress.equals(found.latest().progress())) return true;
        var usage = progress.usage();
        handle.execute(
                """
                UPDATE attempt SET out_offset = ?, output_bytes = ?, transcript_bytes = ?, input_tokens = ?, cached_tokens = ?,
                                   output_tokens = ?, cost_micros = ?, turns = ?, active_ms = ?, waited_ms = ?
                 WHERE run_id = ? AND n = ? AND ended_at IS NULL
                """,
                progress.position().outOffset(),
                progress.position().outputBytes(),
                progress.position().transcriptBytes(),
                usage.input(),
                usage.cached(),
                usage.output(),
                usage.costMicros().orElse(null),
                usage.turns(),
                progress.active().toMillis(),
                progress.waited().toMillis(),
                run.text(),
                attempt);
        progress.sessionId()
                .filter(session -> !found.sessionId().equals(Optional.of(session)))
                .ifPresent(
                        session -> handle.execute("UPDATE run SET session_id = ? WHERE id = ?", session, run.text()));
        var before = found.latest().usage();
        spend(
                handle,
                node,
                found.owner(),
                usage.tokens() - before.tokens(),
                usage.costMicros().orElse(0L) - before.costMicros().orElse(0L),
                now);
        return true;
    }

    /** Adds to the owner's spending of the day; the amount is negative if an earlier estimate was too high. */
    private static void spend(SqlConnection handle, String node, Owner owner, long tokens, long micros, Instant now) {
        if (tokens == 0 && micros == 0) return;
        handle.execute("""
                INSERT INTO spend (owner, day, node, tokens, cost_micros) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (owner, day, node) DO UPDATE SET tokens = spend.tokens + excluded.tokens,
                                                                 cost_micros = spend.cost_micros + excluded.cost_micros
                """, owner.id(), day(now), node, tokens, micros);
    }

    static Usage spent(SqlConnection handle, Owner owner, Instant now) {
        return handle.select("""
                        SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost_micros FROM spend
                         WHERE owner = ? AND day = ? HAVING count(*) > 0
                        """, owner.id(), day(now))
                .optional(row -> new Usage(row.getLong("tokens"), 0, 0, Optional.of(row.getLong("cost_micros")), 0))
                .orElse(Usage.NONE);
    }

    private static String day(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC).toString();
    }
}
