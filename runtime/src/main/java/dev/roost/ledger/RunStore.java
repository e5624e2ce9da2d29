package dev.roost.ledger;

import dev.roost.ledger.RowMappers.Row;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Queries for runs, attempts, results and timelines. */
public class RunStore {

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

    // finds the few live runs by their own index; the query checks the latest attempt again, since a run may have been
    // continued
    private static final String LIVE = "SELECT run_id FROM attempt WHERE ended_at IS NULL";

    private static final Map<String, Integer> RUN_PLACES = Row.places(RUN);
    private static final Map<String, Integer> ATTEMPT_PLACES = Row.places(ATTEMPT);

    private final LedgerContext context;

    RunStore(LedgerContext context) {
        this.context = context;
    }

    static Optional<RunRecord> find(SqlConnection handle, RunId run) {
        return runs(handle, " WHERE r.id = ?", run).stream().findFirst();
    }

    static Optional<RunRecord> findByCallKey(SqlConnection handle, String callKey) {
        return runs(handle, " WHERE r.call_key = ?", callKey).stream().findFirst();
    }

    static RunRecord require(SqlConnection handle, RunId run) {
        return find(handle, run).orElseThrow(() -> new IllegalStateException("no row for " + run));
    }

    /** Runs for which {@code condition} holds. */
    static List<RunRecord> runs(SqlConnection handle, String condition, Object... values) {
        return handle.select(RUNS + condition, values).list(row -> RowMappers.run(new Row(row, RUN_PLACES)));
    }

    static List<AttemptRecord> attempts(SqlConnection handle, RunId run) {
        return handle.select("SELECT " + ATTEMPT + " FROM attempt a WHERE a.run_id = ? ORDER BY a.n", run)
                .list(row -> RowMappers.attempt(new Row(row, ATTEMPT_PLACES)));
    }

    private List<RunRecord> find(String condition, Object... values) {
        return context.read(handle -> runs(handle, condition, values));
    }

    public Optional<RunRecord> find(RunId run) {
        return context.read(handle -> find(handle, run));
    }

    /** The run that an earlier call with this key started. */
    public Optional<RunRecord> findByCallKey(String callKey) {
        return context.read(handle -> findByCallKey(handle, callKey));
    }

    public List<RunRecord> list(RunQuery query) {
        // with a hint: on its own, SQLite picks the index of all ended attempts
        String unread = "SELECT run_id FROM attempt %s WHERE ended_at IS NOT NULL AND read_at IS NULL"
                .formatted(context.database().indexHint("attempt_unread"));
        String scope = switch (query.scope()) {
            case LIVE -> "r.id IN (" + LIVE + ") AND a.ended_at IS NULL";
            case UNREAD -> "r.id IN (" + unread + ") AND a.ended_at IS NOT NULL AND a.read_at IS NULL";
            case ACTIVE ->
                "r.id IN (" + LIVE + " UNION ALL " + unread + ") AND (a.ended_at IS NULL OR a.read_at IS NULL)";
            case ALL -> "TRUE";
        };
        String conditions = """
                 AND r.owner = coalesce(?, r.owner) AND r.id < ? AND r.agent = coalesce(?, r.agent)
                 AND a.status = coalesce(?, a.status)
                 AND (coalesce(lower(r.id) LIKE ? ESCAPE '!', TRUE) OR lower(r.name) LIKE ? ESCAPE '!'
                      OR lower(r.description) LIKE ? ESCAPE '!')
                 ORDER BY r.id DESC LIMIT ?
                """;
        var filter = query.filter();
        if (filter.text().filter(text -> text.indexOf('\0') >= 0).isPresent())
            return List.of(); // no stored text has NUL
        var like = filter.text().map(RunStore::containsPattern);
        return find(
                " WHERE " + scope + conditions,
                query.owner(),
                query.before().map(RunId::text).orElse("r_~"),
                filter.agent(),
                filter.status().map(Status::word),
                like,
                like,
                like,
                query.limit());
    }

    /** A LIKE pattern for the literal text, in lower case. */
    private static String containsPattern(String text) {
        return "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    /** Runs that ended before {@code time}, oldest first. */
    public List<RunRecord> endedBefore(Instant time) {
        return find(" WHERE a.ended_at < ? ORDER BY r.id", time);
    }

    /** Running runs of this node, oldest first. */
    public List<RunRecord> running() {
        return find(" WHERE a.ended_at IS NULL AND a.status = 'running' AND a.node = ? ORDER BY r.id", context.node());
    }

    /** The ids of running runs of this node: cheaper than {@link #running}, because every sweep needs them. */
    public List<RunId> runningIds() {
        return context.read(handle -> handle.select("""
                        SELECT run_id FROM attempt
                         WHERE ended_at IS NULL AND status = 'running' AND node = ? ORDER BY run_id
                        """, context.node()).list(row -> new RunId(row.getString(1))));
    }

    /** Live runs, and those that have ended since; newest first. */
    public List<RunRecord> since(Instant since, Optional<Owner> owner) {
        return find(
                " WHERE (a.ended_at IS NULL OR a.ended_at >= ?) AND r.owner = coalesce(?, r.owner) ORDER BY r.id DESC",
                since,
                owner);
    }

    /**
     * Runs whose id begins with {@code text}, or whose name or session id is {@code text}: first those with the name, then
     * the newest; at most twenty.
     */
    public List<RunRecord> named(String text, Optional<Owner> owner) {
        return find("""
                 WHERE ((r.id >= ? AND r.id < ?) OR r.name = ? OR r.session_id = ?) AND r.owner = coalesce(?, r.owner)
                 ORDER BY r.name IS NOT DISTINCT FROM ? DESC, r.id DESC LIMIT 20
                """, text, text + "~", text, text, owner, text);
    }

    public List<AttemptRecord> attempts(RunId run) {
        return context.read(handle -> attempts(handle, run));
    }

    public Optional<String> result(RunId run, int attempt) {
        return context.read(handle -> handle.select(
                        "SELECT result FROM attempt WHERE run_id = ? AND n = ? AND result IS NOT NULL", run, attempt)
                .optional(SqlConnection::text));
    }

    public List<TimelineEvent> events(RunId run) {
        return context.read(handle -> handle.select(
                        "SELECT seq, attempt, at, kind, text FROM event WHERE run_id = ? ORDER BY seq", run)
                .list(row -> RowMappers.event(row)));
    }

    /** Ended runs with an incomplete output.md that this node has to complete: its own, and those of lost nodes. */
    public List<RunRecord> withUnfinishedOutput() {
        var unfinished =
                " WHERE r.id IN (SELECT run_id FROM attempt %s WHERE ended_at IS NOT NULL AND output_sealed = 0)"
                                .formatted(context.database().indexHint("attempt_unsealed"))
                        + " AND a.ended_at IS NOT NULL AND a.output_sealed = 0 AND ";
        return find(unfinished + context.database().ownedCondition("a.node"), context.node());
    }

    /** This run, if its output.md is incomplete, on any node. */
    public Optional<RunRecord> withUnfinishedOutput(RunId run) {
        return find(" WHERE r.id = ? AND a.ended_at IS NOT NULL AND a.output_sealed = 0", run).stream()
                .findFirst();
    }
}
