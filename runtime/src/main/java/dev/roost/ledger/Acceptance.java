package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** How runs come into the ledger: started here, or brought in from elsewhere. */
record Acceptance(Pen pen) {

    Run submit(NewRun run, Caps caps) {
        var keys = new HashSet<>(Set.of(run.id().text(), run.owner().id()));
        run.callKey().ifPresent(keys::add);
        if (caps.overflow() == Caps.Overflow.REFUSE) keys.add(Writer.GATE);
        return pen.writer().write(keys, one -> Set.of(one.id()), handle -> {
            var again = run.callKey().flatMap(key -> Records.startedBy(handle, key));
            if (again.isPresent()) return again.get();
            if (caps.overflow() == Caps.Overflow.REFUSE) Slots.refuseOneTooMany(handle, run.owner(), caps);
            run.name().ifPresent(name -> refuseTakenName(handle, name, run.owner()));
            long at = pen.now();
            insert(handle, run, at);
            run.place().ifPresent(place -> Works.place(handle, run.id(), place));
            queue(handle, run.id(), 1, 1, Phase.WAITING_FOR_SLOT, Optional.empty(), Position.START, at);
            pen.writer().step(Faults.Step.SUBMIT);
            pen.event(run.id(), 1, EventKind.SUBMITTED, "by " + run.owner());
            return run.accepted(Instant.ofEpochMilli(at));
        });
    }

    private static void insert(Sql handle, NewRun run, long createdAt) {
        handle.execute(
                """
                INSERT INTO run (id, name, owner, agent, driver, profile, description, cwd, max_time_ms, max_tokens,
                                 max_cost_micros, max_turns, max_output, on_loss, depth, parent, notify, call_key,
                                 attempt, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                """,
                run.id().text(),
                run.name().orElse(null),
                run.owner().id(),
                run.agent(),
                run.driver(),
                run.profile(),
                run.description(),
                run.cwd().toString(),
                run.budget().maxTime().map(time -> (Object) time.toMillis()).orElse(null),
                run.budget().maxTokens().orElse(null),
                run.budget().maxCostMicros().orElse(null),
                run.budget().maxTurns().orElse(null),
                run.budget().maxOutput(),
                run.resumeOnLoss() ? "resume" : "report",
                run.depth(),
                run.parent().map(RunId::text).orElse(null),
                run.tell().word(),
                run.callKey().orElse(null),
                createdAt);
    }

    Run bringIn(NewRun run, Past past) {
        var keys = new HashSet<>(Set.of(run.id().text()));
        run.callKey().ifPresent(keys::add);
        return pen.writer().write(keys, one -> Set.of(one.id()), handle -> {
            var again = run.callKey().flatMap(key -> Records.startedBy(handle, key));
            if (again.isPresent()) return again.get();
            insert(handle, run, past.began().toEpochMilli());
            handle.execute(
                    "UPDATE run SET session_id = ?, holder = ? WHERE id = ?",
                    past.sessionId().orElse(null),
                    pen.node(),
                    run.id().text());
            handle.execute(
                    """
                    INSERT INTO attempt (run_id, n, turn, status, cause, evidence, result, result_bytes, output_bytes, created_at,
                                         started_at, ended_at, read_at, node)
                    VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    run.id().text(),
                    past.outcome().status().word(),
                    past.outcome().cause().word(),
                    EvidenceJson.write(past.evidence()),
                    past.result().text().orElse(null),
                    past.result().bytes(),
                    past.outputBytes(),
                    past.began().toEpochMilli(),
                    past.began().toEpochMilli(),
                    past.ended().toEpochMilli(),
                    pen.now(),
                    pen.node());
            pen.store().queued(handle, run.id(), 1); // it may be continued
            pen.event(run.id(), 1, EventKind.BROUGHT_IN, past.evidence().note().orElse("from elsewhere"));
            return Records.require(handle, run.id());
        });
    }

    static void refuseTakenName(Sql handle, String name, Owner owner) {
        var taken =
                handle.select("""
                        SELECT r.id FROM run r JOIN attempt a ON a.run_id = r.id AND a.n = r.attempt
                         WHERE r.name = ? AND r.owner = ? AND a.ended_at IS NULL
                        """, name, owner.id()).list(Sql::text).stream().findFirst();
        if (taken.isPresent()) {
            throw new Refused(
                    "name_taken",
                    "A live run (%s) already has the name \"%s\".".formatted(taken.get(), name),
                    "Choose another name, or stop that run first.");
        }
    }

    /** What an attempt says is added to what those before it said. */
    void queue(
            Sql handle,
            RunId run,
            int attempt,
            int turn,
            Phase phase,
            Optional<Instant> until,
            Position position,
            long at) {
        handle.execute(
                """
                INSERT INTO attempt (run_id, n, turn, status, phase, parked_until, output_bytes, transcript_bytes, created_at)
                VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?)
                """,
                run.text(),
                attempt,
                turn,
                phase.word(),
                until.map(Instant::toEpochMilli).orElse(null),
                position.outputBytes(),
                position.transcriptBytes(),
                at);
        pen.store().queued(handle, run, attempt);
    }
}
