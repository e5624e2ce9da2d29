package dev.roost.ledger;

import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.EvidenceJson;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.ledger.record.TimelineEvent;
import dev.roost.ledger.record.WorktreeRecord;
import dev.roost.model.Budget;
import dev.roost.model.Cause;
import dev.roost.model.Notify;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.model.StopReason;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Maps rows to records. */
final class RowMappers {

    private RowMappers() {}

    static RunRecord run(Row row) throws SQLException {
        return new RunRecord(
                new RunId(row.text("id")),
                row.maybeText("name"),
                new Owner(row.text("owner")),
                row.text("agent"),
                row.text("driver"),
                row.text("profile"),
                row.maybeText("session_id"),
                row.text("description"),
                Path.of(row.text("cwd")),
                new Budget(
                        row.maybeNumber("max_time_ms").map(Duration::ofMillis),
                        row.maybeNumber("max_tokens"),
                        row.maybeNumber("max_cost_micros"),
                        row.maybeNumber("max_turns").map(Math::toIntExact),
                        row.number("max_output")),
                row.text("on_loss").equals("resume"),
                row.count("depth"),
                row.maybeText("parent").map(RunId::new),
                Notify.of(row.text("notify")),
                work(row),
                Optional.of(row.text("holder")).filter(node -> !node.isEmpty()),
                row.time("run_created_at"),
                attempt(row));
    }

    private static Optional<WorktreeRecord> work(Row row) throws SQLException {
        var path = row.maybeText("work_path");
        if (path.isEmpty()) return Optional.empty();
        var place = new WorktreeRecord.WorktreePlace(
                Path.of(path.get()),
                Path.of(row.text("work_common")),
                row.text("work_base"),
                row.maybeText("work_target"),
                Path.of(row.text("work_origin")));
        var ref = row.maybeText("rescue_ref");
        var stage = row.maybeText("landing");
        return Optional.of(new WorktreeRecord(
                place,
                row.maybeTime("made_at"),
                row.maybeTime("removed_at"),
                ref.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new WorktreeRecord.CheckpointState(
                                row.count("checkpoint"), ref.get(), row.time("checkpoint_at"), row.count("left_out"))),
                stage.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new WorktreeRecord.LandingState(
                                stage.get(),
                                row.text("landing_words"),
                                row.text("landing_json"),
                                row.time("landing_at"))),
                row.count("looked"),
                row.maybeText("trouble")));
    }

    static AttemptRecord attempt(Row row) throws SQLException {
        return new AttemptRecord(
                row.count("n"),
                row.count("turn"),
                Status.of(row.text("status")),
                row.maybeText("phase").map(Phase::of),
                row.maybeText("cause").map(Cause::of),
                row.maybeText("evidence").map(EvidenceJson::read),
                stop(row),
                startedProcesses(row),
                progress(row),
                row.maybeTime("parked_until"),
                question(row),
                row.number("result_bytes"),
                row.time("created_at"),
                row.maybeTime("started_at"),
                row.maybeTime("ended_at"),
                row.maybeTime("read_at"),
                Optional.of(row.text("node")).filter(node -> !node.isEmpty()));
    }

    private static Optional<StopReason> stop(Row row) throws SQLException {
        var cause = row.maybeText("stop_cause");
        return cause.isEmpty()
                ? Optional.empty()
                : Optional.of(StopReason.of(Cause.of(cause.get()), row.text("stop_by")));
    }

    private static AttemptProgress progress(Row row) throws SQLException {
        return new AttemptProgress(
                new StreamPosition(
                        row.number("out_offset"), row.number("output_bytes"), row.number("transcript_bytes")),
                new Usage(
                        row.number("input_tokens"),
                        row.number("cached_tokens"),
                        row.number("output_tokens"),
                        row.maybeNumber("cost_micros"),
                        row.count("turns")),
                Duration.ofMillis(row.number("active_ms")),
                Duration.ofMillis(row.number("waited_ms")),
                Optional.empty());
    }

    private static Optional<AttemptRecord.PendingQuestion> question(Row row) throws SQLException {
        var id = row.maybeText("question_id");
        if (id.isEmpty()) return Optional.empty();
        var kind = Question.Kind.valueOf(row.text("question_kind").toUpperCase(Locale.ROOT));
        var question = new Question(id.get(), kind, row.text("question"));
        return row.maybeTime("asked_at").map(at -> new AttemptRecord.PendingQuestion(question, at));
    }

    private static Optional<StartedProcesses> startedProcesses(Row row) throws SQLException {
        var boot = row.maybeText("boot_id");
        if (boot.isEmpty()) return Optional.empty();
        return Optional.of(new StartedProcesses(
                new ProcessId(row.number("perch_pid"), row.number("perch_start")),
                new ProcessId(row.number("agent_pid"), row.number("agent_start")),
                boot.get(),
                row.number("began_mono_ns"),
                row.number("began_slept_ns")));
    }

    static TimelineEvent event(ResultSet row) throws SQLException {
        return new TimelineEvent(
                row.getLong("seq"),
                row.getInt("attempt"),
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("kind"),
                row.getString("text"));
    }

    static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(value));
    }

    /** A row that finds columns by their index in the SELECT: a search by name takes longer than reading the value. */
    record Row(ResultSet set, Map<String, Integer> places) {

        /** The column indexes, from the column list of the SELECT. */
        static Map<String, Integer> places(String columns) {
            var places = new HashMap<String, Integer>();
            for (var column : columns.split(",", -1)) {
                places.put(
                        column.substring(column.lastIndexOf(column.contains(" AS ") ? ' ' : '.') + 1),
                        places.size() + 1);
            }
            return Map.copyOf(places);
        }

        private int index(String column) {
            return Objects.requireNonNull(places.get(column), column);
        }

        String text(String column) throws SQLException {
            return Objects.requireNonNull(set.getString(index(column)), column);
        }

        Optional<String> maybeText(String column) throws SQLException {
            @Nullable String text = set.getString(index(column));
            return Optional.ofNullable(text);
        }

        int count(String column) throws SQLException {
            return set.getInt(index(column));
        }

        long number(String column) throws SQLException {
            return set.getLong(index(column));
        }

        Optional<Long> maybeNumber(String column) throws SQLException {
            long value = set.getLong(index(column));
            return set.wasNull() ? Optional.empty() : Optional.of(value);
        }

        Instant time(String column) throws SQLException {
            return Instant.ofEpochMilli(number(column));
        }

        Optional<Instant> maybeTime(String column) throws SQLException {
            return maybeNumber(column).map(Instant::ofEpochMilli);
        }
    }
}
