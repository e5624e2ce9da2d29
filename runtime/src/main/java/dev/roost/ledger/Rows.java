package dev.roost.ledger;

import dev.roost.run.Budget;
import dev.roost.run.Cause;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import dev.roost.run.Stop;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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
                row.getString("description"),
                Path.of(row.getString("cwd")),
                new Budget(number(row, "max_time_ms").map(Duration::ofMillis), row.getLong("max_output")),
                row.getString("on_loss").equals("resume"),
                row.getInt("depth"),
                Optional.ofNullable(row.getString("parent")).map(RunId::new),
                Instant.ofEpochMilli(row.getLong("run_created_at")),
                attempt(row));
    }

    static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                row.getInt("n"),
                Status.of(row.getString("status")),
                Optional.ofNullable(row.getString("phase")).map(Phase::of),
                Optional.ofNullable(row.getString("cause")).map(Cause::of),
                Optional.ofNullable(row.getString("evidence")).map(EvidenceJson::read),
                stop(row),
                began(row),
                new Position(row.getLong("out_offset"), row.getLong("output_bytes")),
                row.getLong("result_bytes"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                time(row, "started_at"),
                time(row, "ended_at"),
                time(row, "read_at"));
    }

    private static Optional<Stop> stop(ResultSet row) throws SQLException {
        String cause = row.getString("stop_cause");
        return cause == null ? Optional.empty() : Optional.of(Stop.of(Cause.of(cause), row.getString("stop_by")));
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
