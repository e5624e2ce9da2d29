package dev.roost.bench.system;

import dev.roost.home.Home;
import dev.roost.ledger.SqliteLedger;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

/** A home with ended and read runs, one for each minute; the youngest is a day old. */
public final class HomeHistory {

    private HomeHistory() {}

    /** The {@code old} oldest runs are older than a thousand days, so a prune deletes them. */
    public static void write(Path home, int runs, int old) throws IOException, SQLException {
        var clock = new SystemClock();
        Home.open(home);
        var file = home.resolve("roost.db");
        SqliteLedger.open(file, clock).close(); // creates the tables
        var first = clock.now().minus(Duration.ofDays(1)).minus(Duration.ofMinutes(runs));
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?jdbc.get_generated_keys=false")) {
            connection.setAutoCommit(false);
            try (var run = connection.prepareStatement("""
                            INSERT INTO run (id, owner, agent, driver, profile, description, cwd, max_output, on_loss, depth, notify, attempt,
                                             created_at)
                            VALUES (?1, 'bench:' || ?3, 'command', 'command', '{}', 'a run of the past', '/', 1073741824, 'report', 1, 'done',
                                    1, ?2)""");
                    var attempt = connection.prepareStatement("""
                            INSERT INTO attempt (run_id, n, turn, status, cause, evidence, result, result_bytes, output_sealed, created_at,
                                                 started_at, ended_at, read_at)
                            VALUES (?1, 1, 1, 'completed', 'finished', '{}', 'what it found', 13, 1, ?2, ?2, ?2, ?2 + ?3)""");
                    var notice = connection.prepareStatement("""
                            INSERT INTO notice (run_id, attempt, kind, sequence, owner, created_at, acked_at)
                            VALUES (?1, 1, 'ended', 1, 'bench:' || ?3, ?2, ?2)""");
                    var event = connection.prepareStatement("""
                            INSERT INTO event (run_id, attempt, at, kind, text)
                            SELECT ?1, 1, ?2 + ?3, value, 'what happened'
                              FROM json_each('["submitted","claimed","began","ended","read"]')""")) {
                for (int i = 0; i < runs; i++) {
                    var at = i < old ? first.minus(Duration.ofDays(1000)) : first.plus(Duration.ofMinutes(i));
                    var id = RunId.create(at).text();
                    for (var statement : new PreparedStatement[] {run, attempt, notice, event})
                        insert(statement, id, at, i % 20);
                    Files.createDirectory(home.resolve("runs").resolve(id));
                    if (i % 10_000 == 0) connection.commit();
                }
            }
            connection.commit();
        }
    }

    private static void insert(PreparedStatement statement, String id, Instant at, int owner) throws SQLException {
        statement.setString(1, id);
        statement.setLong(2, at.toEpochMilli());
        statement.setInt(3, owner);
        statement.executeUpdate();
    }
}
