package dev.roost.ledger;

import dev.roost.base.Refusal;
import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.model.EventKind;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What people say to live attempts, and the lines that are sent for it. */
public final class MessageStore {
    /** What is said to a run, by whom; a call that is made again has the same {@code callKey}. */
    public record MessageText(String body, String sender, Optional<String> callKey) {}

    private static final int FIRST_LINE = 2;

    private final WriteContext context;
    private final ReadConnections reader;

    MessageStore(WriteContext context, ReadConnections reader) {
        this.context = context;
        this.reader = reader;
    }

    /** Keeps a message for a running attempt; empty if it is not running. */
    public Optional<SentMessage> post(
            RunId run, int attempt, SentMessage.MessageKind kind, Optional<String> questionId, MessageText words) {
        return context.writer().write(run, handle -> {
            if (!running(handle, run, attempt)) return Optional.empty();
            if (questionId.filter(id -> answered(handle, run, attempt, id)).isPresent()) {
                throw new Refusal(
                        "answered",
                        "Somebody has answered that question already.",
                        "Look at the run again; it may have another.");
            }
            context.event(
                    run,
                    attempt,
                    EventKind.MESSAGE,
                    "%s from %s".formatted(kind.name().toLowerCase(Locale.ROOT), words.sender()));
            return Optional.of(post(handle, run, attempt, kind, questionId, words, context.now()));
        });
    }

    private static boolean running(SqlConnection handle, RunId run, int attempt) {
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
            MessageText words,
            long now) {
        long id = handle.select(
                        """
                        INSERT INTO message (run_id, attempt, kind, question_id, body, sender, call_key, created_at)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                        """,
                        run.text(),
                        attempt,
                        kind.name().toLowerCase(Locale.ROOT),
                        questionId.orElse(null),
                        words.body(),
                        words.sender(),
                        words.callKey().orElse(null),
                        now)
                .one(SqlConnection::number);
        return new SentMessage(id, kind, questionId, words.body(), false);
    }

    /** Whether somebody has answered the question, be it that the answer is still on its way. */
    private static boolean answered(SqlConnection handle, RunId run, int attempt, String question) {
        return handle.select(
                                "SELECT count(*) FROM message WHERE run_id = ? AND attempt = ? AND question_id = ?",
                                run.text(),
                                attempt,
                                question)
                        .one(SqlConnection::count)
                > 0;
    }

    /** The run to which this call has said its words already. */
    public Optional<RunRecord> findByCallKey(String callKey) {
        return reader.with(handle -> handle.select("""
                        SELECT run_id FROM message WHERE call_key = ? UNION SELECT run_id FROM attempt WHERE call_key = ?
                        """, callKey, callKey).list(SqlConnection::text).stream()
                .findFirst()
                .flatMap(id -> RunStore.find(handle, new RunId(id))));
    }

    /** What was said to an attempt, oldest first; delivered is what a line was sent for. */
    public List<SentMessage> of(RunId run, int attempt) {
        return reader.with(handle -> handle.select("""
                        SELECT m.id, m.kind, m.question_id, m.body,
                               EXISTS (SELECT 1 FROM sent s WHERE s.run_id = m.run_id AND s.attempt = m.attempt
                                                              AND s.key = 'message:' || m.id) AS delivered
                          FROM message m WHERE m.run_id = ? AND m.attempt = ? ORDER BY m.id
                        """, run.text(), attempt)
                .list(row -> new SentMessage(
                        row.getLong("id"),
                        SentMessage.MessageKind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                        Optional.ofNullable(row.getString("question_id")),
                        row.getString("body"),
                        row.getBoolean("delivered"))));
    }

    /** Ended runs to which somebody said something that came too late for their latest attempt. */
    public List<RunRecord> runsWithLateMessages() {
        return reader.with(handle -> handle
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

    /** Gives each line its number, once by its key; those that are new. The first number is 2: 1 went in with the start. */
    public List<InputLine> send(RunId run, int attempt, List<InputLine> lines) {
        return context.writer()
                .write(run, handle -> running(handle, run, attempt) ? send(handle, run, attempt, lines) : List.of());
    }

    private static List<InputLine> send(SqlConnection handle, RunId run, int attempt, List<InputLine> lines) {
        var added = new ArrayList<InputLine>();
        for (var line : lines) {
            handle.select(
                            """
                            INSERT INTO sent (run_id, attempt, n, key, line)
                            SELECT ?, ?, coalesce(max(n) + 1, ?), ?, ? FROM sent WHERE run_id = ? AND attempt = ?
                                ON CONFLICT (run_id, attempt, key) DO NOTHING RETURNING n
                            """,
                            run.text(),
                            attempt,
                            FIRST_LINE,
                            line.key(),
                            line.text().orElse(null),
                            run.text(),
                            attempt)
                    .optional(SqlConnection::count)
                    .ifPresent(n -> added.add(new InputLine(n, line.key(), line.text())));
        }
        return added;
    }

    /** All lines sent, in order. */
    public List<InputLine> sent(RunId run, int attempt) {
        return reader.with(handle -> handle.select(
                        "SELECT n, key, line FROM sent WHERE run_id = ? AND attempt = ? ORDER BY n",
                        run.text(),
                        attempt)
                .list(row -> new InputLine(
                        row.getInt("n"), row.getString("key"), Optional.ofNullable(row.getString("line")))));
    }

    /** What an attempt that is over was not told is for the one after it. */
    static void forward(SqlConnection handle, RunId run, int attempt) {
        handle.execute("""
                UPDATE message SET attempt = attempt + 1
                 WHERE run_id = ? AND attempt = ? AND kind = 'words'
                   AND NOT EXISTS (SELECT 1 FROM sent s WHERE s.run_id = message.run_id AND s.attempt = message.attempt
                                                          AND s.key = 'message:' || message.id)
                """, run.text(), attempt);
    }
}
