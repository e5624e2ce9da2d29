package dev.roost.cluster;

import dev.roost.agents.Task;
import dev.roost.house.Wish;
import dev.roost.ledger.Sql;
import dev.roost.run.RunId;
import dev.roost.supervisor.Home;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the runs were asked for, out of the files that the home kept it in: whoever continues one needs it. */
record MovedOrders(Home home, String node) {

    private static final System.Logger LOG = System.getLogger(MovedOrders.class.getName());

    void carry(EmbeddedFile from, Sql to) throws SQLException {
        var origins = new HashMap<String, String>();
        from.each("work", row -> origins.put(row.getString("run_id"), row.getString("origin")));
        from.each("run", row -> {
            if (!row.getString("driver").equals("command")) order(row, origins, to); // a command cannot be continued
        });
    }

    private void order(ResultSet run, Map<String, String> origins, Sql to) throws SQLException {
        var id = run.getString("id");
        var first = home.run(new RunId(id)).attempt(1);
        if (!first.isPrepared()) return;
        try {
            var agent = run.getString("agent");
            var wish = new Wish(
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
                    Many.texts(List.of(Places.AGENT + agent, Places.NODE + node)),
                    wish.json());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, id + " cannot be continued: what it was to do is gone", e);
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
