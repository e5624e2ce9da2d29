package dev.roost.ledger;

import dev.roost.base.ErrorCode;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Messages to live attempts, and the input lines that carry them. */
public record MessageStore(LedgerContext context) {
    /** A message to a run and its sender; a repeated call has the same {@code callKey}. */
    public record MessageText(String body, String sender, Optional<String> callKey) {}

    private static final int FIRST_LINE = 2;

    /** Stores a message for a running attempt; empty if the attempt is not running. */
    public Optional<SentMessage> post(
            RunId run, int attempt, SentMessage.MessageKind kind, Optional<String> questionId, MessageText message) {
        return context.write(run, handle -> {
            if (!isRunning(handle, run, attempt)) return Optional.empty();
            if (questionId.filter(id -> hasAnswer(handle, run, attempt, id)).isPresent()) {
                throw ErrorCode.QUESTION_ANSWERED.error("The question has been answered already.");
            }
            context.event(
                    run,
                    attempt,
                    EventKind.MESSAGE,
                    "%s from %s".formatted(kind.name().toLowerCase(Locale.ROOT), message.sender()));
            return Optional.of(post(handle, run, attempt, kind, questionId, message, context.now()));
        });
    }

    private static boolean isRunning(SqlConnection handle, RunId run, int attempt) {
        return RunStore.find(handle, run)
                .filter(found -> found.latest().n() == attempt && found.status() == Status.RUNNING)
                .isPresent();
    }

    private static SentMessage post(
            SqlConnection handle,
            RunId run,
            int attempt,
            SentMessage.MessageKind kind,
            Optional<String> questionId,
            MessageText message,
            Instant now) {
        long id = handle.select(
                        """
                        INSERT INTO message (run_id, attempt, kind, question_id, body, sender, call_key, created_at)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                        """,
                        run,
                        attempt,
                        kind.name().toLowerCase(Locale.ROOT),
                        questionId,
                        message.body(),
                        message.sender(),
                        message.callKey(),
                        now)
                .one(SqlConnection::number);
        return new SentMessage(id, kind, questionId, message.body(), false);
    }

    /** Whether the question has an answer, delivered or not. */
    private static boolean hasAnswer(SqlConnection handle, RunId run, int attempt, String question) {
        return handle.select(
                                "SELECT count(*) FROM message WHERE run_id = ? AND attempt = ? AND question_id = ?",
                                run,
                                attempt,
                                question)
                        .one(SqlConnection::count)
                > 0;
    }

    /** The run to which an earlier call with this key sent its message. */
    public Optional<RunRecord> findByCallKey(String callKey) {
        return context.read(handle -> handle.select("""
                        SELECT run_id FROM message WHERE call_key = ? UNION SELECT run_id FROM attempt WHERE call_key = ?
                        """, callKey, callKey).list(SqlConnection::text).stream()
                .findFirst()
                .flatMap(id -> RunStore.find(handle, new RunId(id))));
    }

    /** The messages to an attempt, oldest first; a message with a sent line is delivered. */
    public List<SentMessage> of(RunId run, int attempt) {
        return context.read(handle -> handle.select("""
                        SELECT m.id, m.kind, m.question_id, m.body,
                               EXISTS (SELECT 1 FROM sent s WHERE s.run_id = m.run_id AND s.attempt = m.attempt
                                                              AND s.key = 'message:' || m.id) AS delivered
                          FROM message m WHERE m.run_id = ? AND m.attempt = ? ORDER BY m.id
                        """, run, attempt)
                .list(row -> new SentMessage(
                        row.getLong("id"),
                        SentMessage.MessageKind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                        Optional.ofNullable(row.getString("question_id")),
                        row.getString("body"),
                        row.getBoolean("delivered"))));
    }

    /** Ended runs with a message that came too late for their latest attempt. */
    public List<RunRecord> runsWithLateMessages() {
        return context.read(handle -> handle
                .select(
                        """
                        SELECT DISTINCT m.run_id FROM message m
                          JOIN run r ON r.id = m.run_id AND r.attempt = m.attempt
                          JOIN attempt a ON a.run_id = m.run_id AND a.n = m.attempt AND a.ended_at IS NOT NULL AND %s
                         WHERE m.kind = 'words' AND a.status IN ('completed', 'completed_empty') AND a.output_sealed = 1
                           AND NOT EXISTS (SELECT 1 FROM sent s WHERE s.run_id = m.run_id AND s.attempt = m.attempt
                                                                  AND s.key = 'message:' || m.id)
                        """.formatted(context.database().ownedCondition("a.node")),
                        context.database().node())
                .list(SqlConnection::text)
                .stream()
                .map(id -> RunStore.require(handle, new RunId(id)))
                .toList());
    }

    /** Numbers each line once by its key, and returns the new lines. The first number is 2: line 1 is written at the start. */
    public List<InputLine> send(RunId run, int attempt, List<InputLine> lines) {
        return context.write(
                run, handle -> isRunning(handle, run, attempt) ? send(handle, run, attempt, lines) : List.of());
    }

    private static List<InputLine> send(SqlConnection handle, RunId run, int attempt, List<InputLine> lines) {
        var added = new ArrayList<InputLine>();
        for (var line : lines) {
            handle.select("""
                            INSERT INTO sent (run_id, attempt, n, key, line)
                            SELECT ?, ?, coalesce(max(n) + 1, ?), ?, ? FROM sent WHERE run_id = ? AND attempt = ?
                                ON CONFLICT (run_id, attempt, key) DO NOTHING RETURNING n
                            """, run, attempt, FIRST_LINE, line.key(), line.text(), run, attempt)
                    .optional(SqlConnection::count)
                    .ifPresent(n -> added.add(new InputLine(n, line.key(), line.text())));
        }
        return added;
    }

    /** All lines sent, in order. */
    public List<InputLine> sent(RunId run, int attempt) {
        return context.read(handle -> handle.select(
                        "SELECT n, key, line FROM sent WHERE run_id = ? AND attempt = ? ORDER BY n", run, attempt)
                .list(row -> new InputLine(
                        row.getInt("n"), row.getString("key"), Optional.ofNullable(row.getString("line")))));
    }

    /** Moves undelivered messages of an ended attempt to the next attempt. */
    static void forward(SqlConnection handle, RunId run, int attempt) {
        handle.execute("""
                UPDATE message SET attempt = attempt + 1
                 WHERE run_id = ? AND attempt = ? AND kind = 'words'
                   AND NOT EXISTS (SELECT 1 FROM sent s WHERE s.run_id = message.run_id AND s.attempt = message.attempt
                                                          AND s.key = 'message:' || message.id)
                """, run, attempt);
    }
}
