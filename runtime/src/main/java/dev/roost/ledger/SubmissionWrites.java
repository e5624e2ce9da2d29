package dev.roost.ledger;

import dev.roost.base.ErrorCode;
import dev.roost.base.FaultPoints;
import dev.roost.ledger.db.GroupCommitWriter;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.EvidenceJson;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Caps;
import dev.roost.model.EventKind;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.RunId;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Adds runs to the ledger: submitted here, or imported from another tool. */
record SubmissionWrites(LedgerContext context) {

    RunRecord submit(NewRun run, Caps caps) {
        var keys = new HashSet<>(Set.of(run.id().text(), run.owner().id()));
        run.callKey().ifPresent(keys::add);
        if (caps.overflow() == Caps.Overflow.REFUSE) keys.add(GroupCommitWriter.CLAIM_LOCK);
        return context.writer().write(keys, one -> Set.of(one.id()), handle -> {
            var existing = run.callKey().flatMap(key -> RunStore.findByCallKey(handle, key));
            if (existing.isPresent()) return existing.get();
            if (caps.overflow() == Caps.Overflow.REFUSE) AttemptWrites.refuseIfFull(handle, run.owner(), caps);
            run.name().ifPresent(name -> refuseTakenName(handle, name, run.owner()));
            var at = context.now();
            insert(handle, run, at);
            run.place().ifPresent(place -> WorktreeStore.place(handle, run.id(), place));
            queue(handle, run.id(), 1, 1, Phase.WAITING_FOR_SLOT, Optional.empty(), StreamPosition.START, at);
            context.writer().step(FaultPoints.Step.SUBMIT);
            context.event(run.id(), 1, EventKind.SUBMITTED, "by " + run.owner());
            return run.accepted(at);
        });
    }

    private static void insert(SqlConnection handle, NewRun run, Instant createdAt) {
        handle.execute(
                """
                INSERT INTO run (id, name, owner, agent, driver, profile, description, cwd, max_time_ms, max_tokens,
                                 max_cost_micros, max_turns, max_output, on_loss, depth, parent, notify, call_key,
                                 attempt, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                """,
                run.id(),
                run.name(),
                run.owner(),
                run.agent(),
                run.driver(),
                run.profile(),
                run.description(),
                run.cwd(),
                run.budget().maxTime(),
                run.budget().maxTokens(),
                run.budget().maxCostMicros(),
                run.budget().maxTurns(),
                run.budget().maxOutput(),
                run.resumeOnLoss() ? "resume" : "report",
                run.depth(),
                run.parent(),
                run.notifyMode().word(),
                run.callKey(),
                createdAt);
    }

    RunRecord importRun(NewRun run, ImportedAttempt imported) {
        var keys = new HashSet<>(Set.of(run.id().text()));
        run.callKey().ifPresent(keys::add);
        return context.writer().write(keys, one -> Set.of(one.id()), handle -> {
            var existing = run.callKey().flatMap(key -> RunStore.findByCallKey(handle, key));
            if (existing.isPresent()) return existing.get();
            insert(handle, run, imported.began());
            handle.execute(
                    "UPDATE run SET session_id = ?, holder = ? WHERE id = ?",
                    imported.sessionId(),
                    context.node(),
                    run.id());
            handle.execute(
                    """
                    INSERT INTO attempt (run_id, n, turn, status, cause, evidence, result, result_bytes, output_bytes, created_at,
                                         started_at, ended_at, read_at, node)
                    VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    run.id(),
                    imported.outcome().status().word(),
                    imported.outcome().cause().word(),
                    EvidenceJson.write(imported.evidence()),
                    imported.result().text(),
                    imported.result().bytes(),
                    imported.outputBytes(),
                    imported.began(),
                    imported.began(),
                    imported.ended(),
                    context.now(),
                    context.node());
            context.database().attemptQueued(handle, run.id(), 1); // the run may be continued
            context.event(
                    run.id(),
                    1,
                    EventKind.BROUGHT_IN,
                    imported.evidence().note().orElse("from another tool"));
            return RunStore.require(handle, run.id());
        });
    }

    static void refuseTakenName(SqlConnection handle, String name, Owner owner) {
        var taken = handle.select("""
                        SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.name = ? AND r.owner = ? AND a.ended_at IS NULL
                        """, name, owner).list(SqlConnection::text).stream()
                .findFirst();
        if (taken.isPresent()) {
            throw ErrorCode.NAME_TAKEN.error(
                    "A live run (%s) already has the name \"%s\".".formatted(taken.get(), name));
        }
    }

    /** Queues an attempt; its output is appended at {@code position} to the output of earlier attempts. */
    void queue(
            SqlConnection handle,
            RunId run,
            int attempt,
            int turn,
            Phase phase,
            Optional<Instant> until,
            StreamPosition position,
            Instant at) {
        handle.execute(
                """
                INSERT INTO attempt (run_id, n, turn, status, phase, parked_until, output_bytes, transcript_bytes, created_at)
                VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?)
                """, run, attempt, turn, phase.word(), until, position.outputBytes(), position.transcriptBytes(), at);
        context.database().attemptQueued(handle, run, attempt);
    }
}
