package dev.roost.ledger;

import dev.roost.ledger.db.ReadConnections;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.RunId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of runs' worktrees. */
public final class WorktreeStore {

    /** The node that has what there is of a run outside of the ledger; before it was anywhere, the one it is for. */
    private static final String HAS_IT = "coalesce(nullif(r.holder, ''), a.node)";

    private final WriteContext context;
    private final ReadConnections reader;

    WorktreeStore(WriteContext context, ReadConnections reader) {
        this.context = context;
        this.reader = reader;
    }

    /** Part of the write that accepts the run. */
    static void place(SqlConnection handle, RunId run, WorktreeRecord.WorktreePlace place) {
        handle.execute(
                "INSERT INTO work (run_id, path, common, base, target, origin) VALUES (?, ?, ?, ?, ?, ?)",
                run.text(),
                place.path().toString(),
                place.common().toString(),
                place.base(),
                place.target().orElse(null),
                place.origin().toString());
    }

    /**
     * The node that begins this attempt has its files from now on, at a place of its own; what it had elsewhere is not there. False if the
     * attempt is not this node's.
     */
    public boolean recordMoved(RunId run, int attempt, Path cwd, Optional<WorktreeRecord.WorktreePlace> place) {
        return context.writer().write(Set.of(run.text()), won -> won ? Set.of(run) : Set.of(), handle -> {
            int won = handle.execute("""
                    UPDATE run SET cwd = ?, holder = ? WHERE id = ? AND EXISTS (
                        SELECT 1 FROM attempt a WHERE a.run_id = run.id AND a.n = run.attempt AND a.n = ?
                           AND a.status = 'running' AND a.node = ?)
                    """, cwd.toString(), context.node(), run.text(), attempt, context.node());
            if (won == 0) return false;
            place.ifPresent(where -> move(handle, run, where));
            return true;
        });
    }

    private void move(SqlConnection handle, RunId run, WorktreeRecord.WorktreePlace place) {
        int moved = handle.execute(
                """
                UPDATE work SET path = ?, common = ?, base = ?, target = ?, origin = ?, pushed = 0, trouble = NULL,
                                removed_at = CASE WHEN made_at IS NULL THEN NULL ELSE ? END
                 WHERE run_id = ?
                """,
                place.path().toString(),
                place.common().toString(),
                place.base(),
                place.target().orElse(null),
                place.origin().toString(),
                context.now(),
                run.text());
        if (moved == 0) place(handle, run, place);
    }

    public void recordMade(RunId run) {
        change(run, "made_at = ?, removed_at = NULL", context.now());
    }

    public void recordRemoved(RunId run) {
        change(run, "removed_at = ?", context.now());
    }

    public void recordCheckpoint(RunId run, int n, String ref, int leftOut) {
        change(run, "checkpoint = ?, rescue_ref = ?, checkpoint_at = ?, left_out = ?", n, ref, context.now(), leftOut);
    }

    /** How far the code got; {@code attempt} is the one that has ended, or 0 if it was only looked at. */
    public void recordLanding(RunId run, int attempt, String stage, String words, String json) {
        change(run, """
                landing = ?, landing_words = ?, landing_json = ?, landing_at = ?, looked = CASE WHEN looked < ? THEN ? ELSE looked END
                """, stage, words, json, context.now(), attempt, attempt);
    }

    /** A checkpoint or a look failed, or does so no longer. */
    public void recordProblem(RunId run, Optional<String> why) {
        change(run, "trouble = ?", why.orElse(null));
    }

    /** The checkpoint of this number, and so all before it, is on the remote for them. */
    public void recordPushed(RunId run, int n) {
        change(run, "pushed = CASE WHEN pushed < ? THEN ? ELSE pushed END", n, n);
    }

    /** Runs whose latest checkpoint is not there yet. */
    public List<RunRecord> unpushed() {
        return reader.with(handle -> RunStore.runs(
                handle,
                " WHERE w.checkpoint > w.pushed AND %s IN (?, '') ORDER BY r.id".formatted(HAS_IT),
                context.node()));
    }

    private void change(RunId run, String what, @Nullable Object... values) {
        var all = new ArrayList<@Nullable Object>(Arrays.asList(values));
        all.add(run.text());
        all.add(context.node());
        // what is another node's by now is that one's to speak of
        context.writer()
                .write(
                        run,
                        handle -> handle.execute(
                                "UPDATE work SET " + what
                                        + " WHERE run_id = ? AND EXISTS (SELECT 1 FROM run WHERE id = run_id AND holder IN (?, ''))",
                                all.toArray()));
    }

    /** Ended runs whose worktree nobody has looked at since. */
    public List<RunRecord> uninspected() {
        return reader.with(handle -> RunStore.runs(
                handle,
                " WHERE w.run_id IS NOT NULL AND a.ended_at IS NOT NULL AND w.looked < a.n AND %s = ? ORDER BY r.id"
                        .formatted(HAS_IT),
                context.node()));
    }
}
