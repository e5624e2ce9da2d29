package dev.roost.cluster.migrate;

import dev.roost.agents.Task;
import dev.roost.cluster.NodeRequirements;
import dev.roost.cluster.db.SqlArray;
import dev.roost.home.Home;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import dev.roost.node.AttemptOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the orders of runs from the home's files and inserts them; they are needed to continue a run. */
record OrderMigration(Home home, String node) {

    private static final System.Logger LOG = System.getLogger(OrderMigration.class.getName());

    void copyAll(EmbeddedLedgerFile from, SqlConnection to) throws SQLException {
        var origins = new HashMap<String, String>();
        from.each("work", row -> origins.put(row.getString("run_id"), row.getString("origin")));
        from.each("run", row -> {
            if (!row.getString("driver").equals("command")) order(row, origins, to); // a command cannot be continued
        });
    }

    private void order(ResultSet run, Map<String, String> origins, SqlConnection to) throws SQLException {
        var id = run.getString("id");
        var first = home.run(new RunId(id)).attempt(1);
        if (!first.isPrepared()) return;
        try {
            var agent = run.getString("agent");
            var order = new AttemptOrder(
                    agent,
                    new Task(List.of(), first.promptText().or(() -> description(run))),
                    Path.of(origins.getOrDefault(id, run.getString("cwd"))),
                    first.environment(),
                    first.spec().umask(),
                    Optional.empty(),
                    origins.containsKey(id),
                    node,
                    Set.of(),
                    Optional.empty(),
                    Optional.empty());
            to.execute(
                    "INSERT INTO job (run_id, attempt, needs, wish) VALUES (?, 1, ?, ?) ON CONFLICT DO NOTHING",
                    id,
                    SqlArray.texts(List.of(NodeRequirements.AGENT + agent, NodeRequirements.NODE + node)),
                    order.json());
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    id + " cannot be continued: the files of its first attempt are missing",
                    e);
        }
    }

    private static Optional<String> description(ResultSet run) {
        try {
            return Optional.ofNullable(run.getString("description"));
        } catch (SQLException e) {
            return Optional.empty();
        }
    }
}
