package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.LedgerContract;
import dev.roost.ledger.Query;
import dev.roost.ledger.SqlLedger;
import dev.roost.run.Outcome;
import dev.roost.run.RunEvent;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.Test;

/** The contract of the embedded ledger, unchanged, and what is PostgreSQL's own. */
class PostgresLedgerTest extends LedgerContract {

    private static final int MORE_THAN_CONNECTIONS = 20;

    private final String address = Databases.fresh();

    @Override
    protected Ledger open() {
        return Postgres.open(address, "", clock);
    }

    private List<String> column(String sql) {
        return Postgres.jdbi(Address.parse(address).source("a test", 0))
                .withHandle(
                        handle -> handle.createQuery(sql).mapTo(String.class).list());
    }

    @Test
    void what_has_ended_is_no_longer_among_what_lives() {
        var first = running();
        var second = running();
        assertThat(column("SELECT run_id FROM attempt_live")).containsExactlyInAnyOrder(first.text(), second.text());

        ledger.finish(first, 1, end(new RunEvent.Exited(new Outcome.Completed())));

        assertThat(column("SELECT run_id FROM attempt_live")).containsExactly(second.text());
        assertThat(column("SELECT run_id FROM attempt_ended")).containsExactly(first.text());
    }

    @Test
    void who_asks_for_what_lives_does_not_go_through_what_has_ended() {
        running();
        var asked =
                asked(() -> assertThat(ledger.list(Query.of(Query.Which.LIVE))).hasSize(1));

        assertThat(asked)
                .hasSize(1)
                .allSatisfy(sql -> assertThat(String.join("\n", column("EXPLAIN " + sql)))
                        .contains("attempt_live")
                        .doesNotContain("attempt_ended"));
        assertThat(asked(() -> ledger.list(Query.of(Query.Which.ALL))))
                .as("which shows that a plan would tell")
                .allSatisfy(sql ->
                        assertThat(String.join("\n", column("EXPLAIN " + sql))).contains("attempt_ended"));
    }

    /** The statements that the ledger reads with, and their values in them. */
    private List<String> asked(Runnable reading) {
        var asked = new ConcurrentLinkedQueue<String>();
        var logger = new SqlLogger() {
            @Override
            public void logBeforeExecution(StatementContext context) {
                asked.add(String.valueOf(context.getStatement()));
            }
        };
        for (int i = 0; i < MORE_THAN_CONNECTIONS; i++)
            ((SqlLedger) ledger)
                    .read(handle -> handle.getConfig(SqlStatements.class).setSqlLogger(logger));
        reading.run();
        return List.copyOf(asked);
    }
}
