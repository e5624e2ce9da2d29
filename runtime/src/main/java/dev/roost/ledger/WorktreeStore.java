package dev.roost.ledger;

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

/** The worktrees of runs: place, checkpoints, landing. */
public record WorktreeStore(LedgerContext context) {

    /** The node that holds a run's files; before it has any, the node of its attempt. */
    private static final String HOLDER = "coalesce(nullif(r.holder, ''), a.node)";

    /** Adds the worktree's row; part of the write that accepts the run. */
    static void place(SqlConnection handle, RunId run, WorktreeRecord.WorktreePlace place) {
        handle.execute(
                "INSERT INTO work (run_id, path, common, base, target, origin) VALUES (?, ?, ?, ?, ?, ?)",
                run,
                place.path(),
                place.common(),
                place.base(),
                place.target(),
                place.origin());
    }

    /**
     * Records that this node holds the run's files from now on, at its own place; files on other nodes no longer count. False
     * if the attempt does not belong to this node.
     */
    public boolean recordMoved(RunId run, int attempt, Path cwd, Optional<WorktreeRecord.WorktreePlace> place) {
        return context.writer().write(Set.of(run.text()), won -> won ? Set.of(run) : Set.of(), handle -> {
            int won = handle.execute("""
                    UPDATE run SET cwd = ?, holder = ? WHERE id = ? AND EXISTS (
                        SELECT 1 FROM attempt a WHERE a.run_id = run.id AND a.n = run.attempt AND a.n = ?
                           AND a.status = 'running' AND a.node = ?)
                    """, cwd, context.node(), run, attempt, context.node());
            if (won == 0) return false;
            place.ifPresent(target -> move(handle, run, target));
            return true;
        });
    }

    private void move(SqlConnection handle, RunId run, WorktreeRecord.WorktreePlace place) {
        int moved = handle.execute(
                """
                UPDATE work SET path = ?, common = ?, base = ?, target = ?, origin = ?, pushed = 0, trouble = NULL,
                                removed_at = CASE WHEN made_at IS NULL THEN NULL ELSE ? END
                 WHERE run_id = ?
                """, place.path(), place.common(), place.base(), place.target(), place.origin(), context.now(), run);
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

    /** Records how far the code got; {@code attempt} is the ended attempt, or 0 if the worktree was only inspected. */
    public void recordLanding(RunId run, int attempt, String stage, String words, String json) {
        change(run, """
                landing = ?, landing_words = ?, landing_json = ?, landing_at = ?, looked = CASE WHEN looked < ? THEN ? ELSE looked END
                """, stage, words, json, context.now(), attempt, attempt);
    }

    /** Records that a checkpoint or an inspection failed, or clears the failure. */
    public void recordProblem(RunId run, Optional<String> why) {
        change(run, "trouble = ?", why);
    }

    /** Records that the checkpoints up to number {@code n} are on the checkpoint remote. */
    public void recordPushed(RunId run, int n) {
        change(run, "pushed = CASE WHEN pushed < ? THEN ? ELSE pushed END", n, n);
    }

    /** Runs whose latest checkpoint is not on the checkpoint remote. */
    public List<RunRecord> unpushed() {
        return context.read(handle -> RunStore.runs(
                handle,
                " WHERE w.checkpoint > w.pushed AND %s IN (?, '') ORDER BY r.id".formatted(HOLDER),
                context.node()));
    }

    private void change(RunId run, String assignments, @Nullable Object... values) {
        var all = new ArrayList<@Nullable Object>(Arrays.asList(values));
        all.add(run);
        all.add(context.node());
        // only the node that holds the run's files changes the row
        context.write(
                run,
                handle -> handle.execute(
                        "UPDATE work SET " + assignments
                                + " WHERE run_id = ? AND EXISTS (SELECT 1 FROM run WHERE id = run_id AND holder IN (?, ''))",
                        all.toArray()));
    }

    /** Ended runs whose worktree has not been inspected since the end. */
    public List<RunRecord> uninspected() {
        return context.read(handle -> RunStore.runs(
                handle,
                " WHERE w.run_id IS NOT NULL AND a.ended_at IS NOT NULL AND w.looked < a.n AND %s = ? ORDER BY r.id"
                        .formatted(HOLDER),
                context.node()));
    }
}
