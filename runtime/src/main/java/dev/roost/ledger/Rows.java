package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Cause;
import dev.roost.run.Notify;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.Question;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import dev.roost.run.Usage;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** From rows to records. */
final class Rows {

    private Rows() {}

    static Run run(ResultSet row) throws SQLException {
        return new Run(
                new RunId(row.getString("id")),
                Optional.ofNullable(row.getString("name")),
                new Owner(row.getString("owner")),
                row.getString("agent"),
                row.getString("driver"),
                row.getString("profile"),
                Optional.ofNullable(row.getString("session_id")),
                row.getString("description"),
                Path.of(row.getString("cwd")),
                new Budget(
                        number(row, "max_time_ms").map(Duration::ofMillis),
                        number(row, "max_tokens"),
                        number(row, "max_cost_micros"),
                        number(row, "max_turns").map(Math::toIntExact),
                        row.getLong("max_output")),
                row.getString("on_loss").equals("resume"),
                row.getInt("depth"),
                Optional.ofNullable(row.getString("parent")).map(RunId::new),
                Notify.of(row.getString("notify")),
                work(row),
                Optional.of(row.getString("holder")).filter(node -> !node.isEmpty()),
                Instant.ofEpochMilli(row.getLong("run_created_at")),
                attempt(row));
    }

    private static Optional<Work> work(ResultSet row) throws SQLException {
        var path = row.getString("work_path");
        if (path == null) return Optional.empty();
        var place = new Work.Place(
                Path.of(path),
                Path.of(row.getString("work_common")),
                row.getString("work_base"),
                Optional.ofNullable(row.getString("work_target")),
                Path.of(row.getString("work_origin")));
        var ref = row.getString("rescue_ref");
        var stage = row.getString("landing");
        return Optional.of(new Work(
                place,
                time(row, "made_at"),
                time(row, "removed_at"),
                ref == null
                        ? Optional.empty()
                        : Optional.of(new Work.Rescue(
                                row.getInt("checkpoint"),
                                ref,
                                Instant.ofEpochMilli(row.getLong("checkpoint_at")),
                                row.getInt("left_out"))),
                stage == null
                        ? Optional.empty()
                        : Optional.of(new Work.Landed(
                                stage,
                                row.getString("landing_words"),
                                row.getString("landing_json"),
                                Instant.ofEpochMilli(row.getLong("landing_at")))),
                row.getInt("looked"),
                Optional.ofNullable(row.getString("trouble"))));
    }

    static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                row.getInt("n"),
                row.getInt("turn"),
                Status.of(row.getString("status")),
                Optional.ofNullable(row.getString("phase")).map(Phase::of),
                Optional.ofNullable(row.getString("cause")).map(Cause::of),
                Optional.ofNullable(row.getString("evidence")).map(EvidenceJson::read),
                stop(row),
                began(row),
                progress(row),
                time(row, "parked_until"),
                asked(row),
                row.getLong("result_bytes"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                time(row, "started_at"),
                time(row, "ended_at"),
                time(row, "read_at"),
                Optional.of(row.getString("node")).filter(node -> !node.isEmpty()));
    }

    private static Optional<Stop> stop(ResultSet row) throws SQLException {
        String cause = row.getString("stop_cause");
        return cause == null ? Optional.empty() : Optional.of(Stop.of(Cause.of(cause), row.getString("stop_by")));
    }

    private static Progress progress(ResultSet row) throws SQLException {
        return new Progress(
                new Position(row.getLong("out_offset"), row.getLong("output_bytes"), row.getLong("transcript_bytes")),
                new Usage(
                        row.getLong("input_tokens"),
                        row.getLong("cached_tokens"),
                        row.getLong("output_tokens"),
                        number(row, "cost_micros"),
                        row.getInt("turns")),
                Duration.ofMillis(row.getLong("active_ms")),
                Duration.ofMillis(row.getLong("waited_ms")),
                Optional.empty());
    }

    private static Optional<Attempt.Asked> asked(ResultSet row) throws SQLException {
        String id = row.getString("question_id");
        if (id == null) return Optional.empty();
        var kind = Question.Kind.valueOf(row.getString("question_kind").toUpperCase(Locale.ROOT));
        var question = new Question(id, kind, row.getString("question"));
        return time(row, "asked_at").map(at -> new Attempt.Asked(question, at));
    }

    private static Optional<Began> began(ResultSet row) throws SQLException {
        String boot = row.getString("boot_id");
        if (boot == null) return Optional.empty();
        return Optional.of(new Began(
                new ProcessId(row.getLong("perch_pid"), row.getLong("perch_start")),
                new ProcessId(row.getLong("agent_pid"), row.getLong("agent_start")),
                boot,
                row.getLong("began_mono_ns"),
                row.getLong("began_slept_ns")));
    }

    static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        return number(row, column).map(Instant::ofEpochMilli);
    }

    private static Optional<Long> number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }
}
