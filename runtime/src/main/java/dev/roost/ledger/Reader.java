package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Reads on connections of their own, so that no read waits for a write; and what the reads are. */
final class Reader implements AutoCloseable {

    private static final int CONNECTIONS = 4;

    private static final String ATTEMPT = """
            a.n, a.turn, a.status, a.phase, a.cause, a.evidence, a.stop_cause, a.stop_by, a.perch_pid, a.perch_start, a.agent_pid,
            a.agent_start, a.boot_id, a.began_mono_ns, a.began_slept_ns, a.out_offset, a.output_bytes, a.transcript_bytes,
            a.input_tokens, a.cached_tokens, a.output_tokens, a.cost_micros, a.turns, a.active_ms, a.waited_ms, a.parked_until,
            a.question_id, a.question_kind, a.question, a.asked_at, a.result_bytes, a.created_at, a.started_at, a.ended_at, a.read_at,
            a.node""";

    private static final String RUN = ATTEMPT + """
            , r.id, r.name, r.owner, r.agent, r.driver, r.description, r.cwd, r.max_time_ms, r.max_output, r.on_loss, r.depth,
            r.parent, r.profile, r.session_id, r.max_tokens, r.max_cost_micros, r.max_turns, r.notify, r.holder,
            r.created_at AS run_created_at, w.path AS work_path, w.common AS work_common, w.base AS work_base,
            w.target AS work_target, w.origin AS work_origin, w.made_at, w.removed_at, w.checkpoint, w.rescue_ref, w.checkpoint_at,
            w.left_out, w.landing, w.landing_words, w.landing_json, w.landing_at, w.looked, w.trouble""";

    private static final String RUNS = "SELECT " + RUN + """
             FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt LEFT JOIN work w ON w.run_id = r.id
            """;

    // few among many, each by an index of its own; a run may have been continued, so its latest attempt is asked once
    // more
    private static final String LIVE = "SELECT run_id FROM attempt WHERE ended_at IS NULL";

    private static final Map<String, Integer> RUN_PLACES = Row.places(RUN);
    private static final Map<String, Integer> ATTEMPT_PLACES = Row.places(ATTEMPT);

    private final BlockingQueue<Sql> idle = new ArrayBlockingQueue<>(CONNECTIONS);
    private volatile boolean closed;

    private final Store store;

    Reader(Store store) {
        this.store = store;
        for (int i = 0; i < CONNECTIONS; i++) idle.add(store.reading());
    }

    <T> T with(Function<Sql, T> work) {
        Sql handle;
        try {
            handle = closed ? null : idle.poll(1, TimeUnit.SECONDS);
            while (handle == null) {
                if (closed) throw Writer.closedError();
                handle = idle.poll(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting to read the ledger", e);
        }
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!store.isCut(e)) throw e;
            handle = another(handle);
            return again(work, handle);
        } finally {
            idle.add(handle);
        }
    }

    private <T> T again(Function<Sql, T> work, Sql handle) {
        try {
            return work.apply(handle);
        } catch (RuntimeException e) {
            if (!store.isCut(e)) throw e;
            var away = Writer.away();
            away.initCause(e);
            throw away;
        }
    }

    /** In place of a connection that broke; the broken one itself if there is none to be had. */
    private Sql another(Sql broken) {
        try {
            var fresh = store.reading();
            broken.close();
            return fresh;
        } catch (RuntimeException e) {
            return broken;
        }
    }

    static Optional<Run> find(Sql handle, RunId run) {
        return handle.select(RUNS + " WHERE r.id = ?", run.text()).optional(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    /** Runs, as far as {@code condition} holds. */
    static List<Run> runs(Sql handle, String condition, Object... values) {
        return handle.select(RUNS + condition, values).list(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    static Optional<Run> startedBy(Sql handle, String callKey) {
        return handle.select(RUNS + " WHERE r.call_key = ?", callKey)
                .optional(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    static Optional<Run> toldBy(Sql handle, String callKey) {
        return handle.select("""
                        SELECT run_id FROM message WHERE call_key = ? UNION SELECT run_id FROM attempt WHERE call_key = ?
                        """, callKey, callKey).list(Sql::text).stream()
                .findFirst()
                .flatMap(id -> find(handle, new RunId(id)));
    }

    static Run require(Sql handle, RunId run) {
        return find(handle, run).orElseThrow(() -> new IllegalStateException("no row for " + run));
    }

    static List<Run> list(Sql handle, Store store, Query query) {
        // which index is to be said: left to itself, SQLite takes the one of all that have ended
        String unread = "SELECT run_id FROM attempt %s WHERE ended_at IS NOT NULL AND read_at IS NULL"
                .formatted(store.by("attempt_unread"));
        String which = switch (query.which()) {
            case LIVE -> "r.id IN (" + LIVE + ") AND a.ended_at IS NULL";
            case UNREAD -> "r.id IN (" + unread + ") AND a.ended_at IS NOT NULL AND a.read_at IS NULL";
            case ACTIVE ->
                "r.id IN (" + LIVE + " UNION ALL " + unread + ") AND (a.ended_at IS NULL OR a.read_at IS NULL)";
            case ALL -> "TRUE";
        };
        String narrowed = """
                 AND r.owner = coalesce(?, r.owner) AND r.id < ? AND r.agent = coalesce(?, r.agent)
                 AND a.status = coalesce(?, a.status)
                 AND (coalesce(lower(r.id) LIKE ? ESCAPE '!', TRUE) OR lower(r.name) LIKE ? ESCAPE '!'
                      OR lower(r.description) LIKE ? ESCAPE '!')
                 ORDER BY r.id DESC LIMIT ?
                """;
        var only = query.narrowed();
        if (only.text().filter(text -> text.indexOf('\0') >= 0).isPresent()) return List.of(); // no text has that
        String like = only.text().map(Reader::containing).orElse(null);
        return handle.select(
                        RUNS + " WHERE " + which + narrowed,
                        query.owner().map(Owner::id).orElse(null),
                        query.before().map(RunId::text).orElse("r_~"),
                        only.agent().orElse(null),
                        only.status().map(Status::word).orElse(null),
                        like,
                        like,
                        like,
                        query.limit())
                .list(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    static List<Run> endedBefore(Sql handle, Instant time) {
        return runs(handle, " WHERE a.ended_at < ? ORDER BY r.id", time.toEpochMilli());
    }

    static List<Run> running(Sql handle, String node) {
        return runs(handle, " WHERE a.ended_at IS NULL AND a.status = 'running' AND a.node = ? ORDER BY r.id", node);
    }

    static List<RunId> runningIds(Sql handle, String node) {
        return handle.select("""
                            SELECT run_id FROM attempt
                             WHERE ended_at IS NULL AND status = 'running' AND node = ? ORDER BY run_id
                            """, node).list(row -> new RunId(row.getString(1)));
    }

    /** The text as it stands, whatever the case of its letters. */
    private static String containing(String text) {
        return "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    static List<Run> since(Sql handle, Instant since, Optional<Owner> owner) {
        return handle.select(
                        RUNS
                                + " WHERE (a.ended_at IS NULL OR a.ended_at >= ?) AND r.owner = coalesce(?, r.owner) ORDER BY r.id DESC",
                        since.toEpochMilli(),
                        owner.map(Owner::id).orElse(null))
                .list(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    static List<Run> named(Sql handle, String text, Optional<Owner> owner) {
        String scope = owner.map(Owner::id).orElse(null);
        return handle.select(RUNS + """
                                 WHERE ((r.id >= ? AND r.id < ?) OR r.name = ? OR r.session_id = ?) AND r.owner = coalesce(?, r.owner)
                                 ORDER BY r.name IS NOT DISTINCT FROM ? DESC, r.id DESC LIMIT 20
                                """, text, text + "~", text, text, scope, text)
                .list(row -> Rows.run(new Row(row, RUN_PLACES)));
    }

    static List<Attempt> attempts(Sql handle, RunId run) {
        return handle.select("SELECT " + ATTEMPT + " FROM attempt a WHERE a.run_id = ? ORDER BY a.n", run.text())
                .list(row -> Rows.attempt(new Row(row, ATTEMPT_PLACES)));
    }

    static Optional<String> result(Sql handle, RunId run, int attempt) {
        return handle.select(
                        "SELECT result FROM attempt WHERE run_id = ? AND n = ? AND result IS NOT NULL",
                        run.text(),
                        attempt)
                .optional(Sql::text);
    }

    static List<Event> events(Sql handle, RunId run) {
        return handle.select("SELECT seq, attempt, at, kind, text FROM event WHERE run_id = ? ORDER BY seq", run.text())
                .list(row -> new Event(
                        row.getLong("seq"),
                        row.getInt("attempt"),
                        Instant.ofEpochMilli(row.getLong("at")),
                        row.getString("kind"),
                        row.getString("text")));
    }

    static List<Notice> pending(Sql handle, Store store, Optional<Owner> owner) {
        // of everybody: left to itself, SQLite reads all that there ever were, as they are in order
        return owner.map(one -> pending(handle, "owner = ?", one.id()))
                .orElseGet(() ->
                        noticesFrom(handle, "notice%s WHERE acked_at IS NULL".formatted(store.by("notice_pending"))));
    }

    /** Notices that nobody has acknowledged, oldest first, as far as {@code condition} holds. */
    static List<Notice> pending(Sql handle, String condition, Object... values) {
        return notices(handle, "acked_at IS NULL AND " + condition, values);
    }

    /** Notices for which {@code condition} holds, oldest first. */
    static List<Notice> notices(Sql handle, String condition, Object... values) {
        return noticesFrom(handle, "notice WHERE " + condition, values);
    }

    private static List<Notice> noticesFrom(Sql handle, String which, Object... values) {
        record Found(
                long id, String kind, int sequence, Owner owner, Instant at, String run, int attempt, long pause) {}
        var rows = handle.select(
                        "SELECT id, kind, sequence, owner, created_at, run_id, attempt, pause FROM " + which
                                + " ORDER BY id",
                        values)
                .list(row -> new Found(
                        row.getLong("id"),
                        row.getString("kind"),
                        row.getInt("sequence"),
                        new Owner(row.getString("owner")),
                        Instant.ofEpochMilli(row.getLong("created_at")),
                        Objects.requireNonNullElse(row.getString("run_id"), ""),
                        row.getInt("attempt"),
                        row.getLong("pause")));
        return rows.stream()
                .<Notice>map(row -> {
                    if (row.kind.equals("pause")) {
                        var pause = SqlPauses.find(handle, row.pause, Optional.of(row.owner))
                                .orElseThrow();
                        return new Notice.OfPause(row.id, row.owner, row.at, pause);
                    }
                    var run = new RunId(row.run);
                    var attempts = attempts(handle, run);
                    var attempt = attempts.get(row.attempt - 1);
                    return new Notice.OfRun(
                            row.id,
                            row.kind,
                            row.sequence,
                            row.owner,
                            row.at,
                            require(handle, run),
                            attempt,
                            attempts.stream()
                                    .filter(one -> one.turn() == attempt.turn() && one.n() < attempt.n())
                                    .toList());
                })
                .toList();
    }

    static List<NoticeTrace> noticesOf(Sql handle, RunId run) {
        return handle.select(
                        "SELECT id, attempt, kind, created_at, acked_at FROM notice WHERE run_id = ? ORDER BY id",
                        run.text())
                .list(row -> new NoticeTrace(
                        row.getLong("id"),
                        row.getInt("attempt"),
                        row.getString("kind"),
                        Instant.ofEpochMilli(row.getLong("created_at")),
                        Rows.time(row, "acked_at")));
    }

    static List<Run> unsealed(Sql handle, Store store) {
        return runs(
                handle,
                " WHERE r.id IN (SELECT run_id FROM attempt %s WHERE ended_at IS NOT NULL AND output_sealed = 0)"
                                .formatted(store.by("attempt_unsealed"))
                        + " AND a.ended_at IS NOT NULL AND a.output_sealed = 0 AND " + store.oursToDo("a.node"),
                store.node());
    }

    static Optional<Run> unsealed(Sql handle, RunId run) {
        return runs(handle, " WHERE r.id = ? AND a.ended_at IS NOT NULL AND a.output_sealed = 0", run.text()).stream()
                .findFirst();
    }

    @Override
    public void close() {
        closed = true;
        try {
            // one that is being read with is waited for: a connection left open leaves the write-ahead log behind
            for (int i = 0; i < CONNECTIONS; i++) {
                var handle = idle.poll(5, TimeUnit.SECONDS);
                if (handle != null) handle.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
