package dev.roost.ledger;

import dev.roost.run.Caps;
import dev.roost.run.EventKind;
import dev.roost.run.Faults;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** An attempt on its way: it has a slot, its processes, comes this far, asks. */
record Underway(Pen pen, Notices notices) {

    List<Run> claim(Caps caps, int most) {
        return pen.writer()
                .write(
                        Set.of(Writer.GATE),
                        claimed -> claimed.stream().map(Run::id).toList(),
                        handle -> Slots.next(handle, caps, pen.now(), most).stream()
                                .flatMap(run -> claim(handle, run).stream())
                                .toList());
    }

    private Optional<Run> claim(Sql handle, RunId run) {
        if (pen.store().lockAtOnce(handle, Set.of(run.text())).isEmpty())
            return Optional.empty(); // somebody stops it just now
        int won = handle.execute("""
                UPDATE attempt SET status = 'running', phase = 'starting', started_at = ?, parked_until = NULL, node = ?
                 WHERE run_id = ? AND status = 'queued'
                """, pen.now(), pen.node(), run.text());
        if (won == 0) return Optional.empty();
        var claimed = Records.require(handle, run);
        pen.writer().step(Faults.Step.CLAIM);
        pen.event(run, claimed.latest().n(), EventKind.CLAIMED, "a slot was free");
        return Optional.of(claimed);
    }

    boolean began(RunId run, int attempt, Began began) {
        return pen.writer().write(run, handle -> {
            int won = handle.execute(
                    """
                    UPDATE attempt SET perch_pid = ?, perch_start = ?, agent_pid = ?, agent_start = ?, boot_id = ?,
                                       began_mono_ns = ?, began_slept_ns = ?,
                                       phase = CASE phase WHEN 'starting' THEN 'working' ELSE phase END
                     WHERE run_id = ? AND n = ? AND status = 'running'
                    """,
                    began.perch().pid(),
                    began.perch().startTicks(),
                    began.agent().pid(),
                    began.agent().startTicks(),
                    began.bootId(),
                    began.monotonicNanos(),
                    began.sleptNanos(),
                    run.text(),
                    attempt);
            if (won == 1) {
                pen.writer().step(Faults.Step.START);
                pen.event(run, attempt, EventKind.BEGAN, "pid " + began.agent().pid());
                var now = notices.changed(handle, run);
                boolean asked = isAsked(handle, now);
                pen.writer()
                        .afterwards(meters -> meters.began(
                                new Meters.Begun(now, asked, pen.clock().now())));
            }
            return won == 1;
        });
    }

    /** Whether somebody asked for this attempt; else it goes on with what the one before it could not end. */
    private static boolean isAsked(Sql handle, Run run) {
        var attempt = run.latest();
        return attempt.n() == 1
                || handle.select(
                                "SELECT turn FROM attempt WHERE run_id = ? AND n = ?",
                                run.id().text(),
                                attempt.n() - 1)
                        .optional(Sql::count)
                        .filter(turn -> turn == attempt.turn())
                        .isEmpty();
    }

    boolean progressed(RunId run, int attempt, Progress progress) {
        return pen.writer()
                .write(
                        run,
                        handle -> Usages.record(
                                handle,
                                pen.node(),
                                run,
                                attempt,
                                progress,
                                pen.clock().now()));
    }

    boolean phase(RunId run, int attempt, Phase phase, Optional<Question> question) {
        return pen.writer().write(run, handle -> {
            var before = Records.find(handle, run).map(Run::latest);
            int won = handle.execute(
                    """
                    UPDATE attempt SET phase = ?, question_id = ?, question_kind = ?, question = ?, asked_at = ?
                     WHERE run_id = ? AND n = ? AND status = 'running' AND phase <> 'stopping'
                    """,
                    phase.word(),
                    question.map(Question::id).orElse(null),
                    question.map(asked -> asked.kind().name().toLowerCase(Locale.ROOT))
                            .orElse(null),
                    question.map(Question::text).orElse(null),
                    question.map(_ -> (Object) pen.now()).orElse(null),
                    run.text(),
                    attempt);
            if (won == 0) return false;
            if (before.flatMap(Attempt::asked).isPresent()) notices.noMore(handle, run, "needs_input");
            if (question.isEmpty() && !before.flatMap(Attempt::phase).equals(Optional.of(phase)))
                pen.event(run, attempt, EventKind.PHASE, phase.word());
            question.ifPresent(asked -> {
                pen.event(run, attempt, EventKind.ASKED, asked.text());
                notices.write(handle, Records.require(handle, run), "needs_input");
            });
            return true;
        });
    }
}
