package dev.roost.cluster.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerContract;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.RunQuery;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The contract of the embedded ledger, and tests for PostgreSQL alone. */
class PostgresLedgerClusterTest extends LedgerContract {

    private final String address = SchemaDatabases.fresh();

    @Override
    protected Ledger open() {
        return PostgresDatabase.open(address, "", clock);
    }

    private List<String> column(String sql) {
        return new ConnectionSource(DatabaseAddress.parse(address).source("a test", 0))
                .with(handle -> handle.select(sql).list(SqlConnection::text));
    }

    @Test
    void ended_runs_are_not_among_the_live_ones() {
        var first = running();
        var second = running();
        assertThat(column("SELECT run_id FROM attempt_live")).containsExactlyInAnyOrder(first.text(), second.text());

        ledger.finish(first, 1, end(new RunEvent.Exited(new Outcome.Completed())));

        assertThat(column("SELECT run_id FROM attempt_live")).containsExactly(second.text());
        assertThat(column("SELECT run_id FROM attempt_ended")).containsExactly(first.text());
    }

    @Test
    void a_query_for_live_runs_does_not_scan_ended_runs() {
        running();
        var asked = asked(RunQuery.StatusFilter.LIVE);

        assertThat(asked)
                .hasSize(1)
                .allSatisfy(sql -> assertThat(String.join("\n", column("EXPLAIN " + sql)))
                        .contains("attempt_live")
                        .doesNotContain("attempt_ended"));
        assertThat(asked(RunQuery.StatusFilter.ALL))
                .as("a sequential scan shows in the plan")
                .allSatisfy(sql ->
                        assertThat(String.join("\n", column("EXPLAIN " + sql))).contains("attempt_ended"));
    }

    /** The statements of the ledger's query, with their values. */
    private List<String> asked(RunQuery.StatusFilter which) {
        var asked = new ConcurrentLinkedQueue<String>();
        var source = DatabaseAddress.parse(address).source("a test", 0);
        try (var watched = new Ledger(new PostgresDatabase("", recording(DataSource.class, source, asked)), clock)) {
            assertThat(watched.runs().list(RunQuery.of(which))).hasSize(1);
        }
        return List.copyOf(asked);
    }

    /** A proxy that records every statement; the driver's statements print their values. */
    private static <T> T recording(Class<T> kind, T real, Collection<String> asked) {
        return kind.cast(Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, (_, method, values) -> {
            if (method.getName().equals("executeQuery")) asked.add(real.toString());
            return switch (method.invoke(real, values)) {
                case Connection connection -> recording(Connection.class, connection, asked);
                case PreparedStatement statement -> recording(PreparedStatement.class, statement, asked);
                case null -> null;
                case Object other -> other;
            };
        }));
    }
}
