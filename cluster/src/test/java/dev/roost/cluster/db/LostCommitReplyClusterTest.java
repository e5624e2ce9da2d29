package dev.roost.cluster.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cluster.testing.PostgresServer;
import dev.roost.cluster.testing.SchemaDatabases;
import dev.roost.ledger.Ledger;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.ledger.record.NewRun;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The outcome of a commit whose reply was lost. */
class LostCommitReplyClusterTest {

    private final SystemClock clock = new SystemClock();

    private NewRun aRun() {
        return new NewRun(
                RunId.create(clock.now()),
                Optional.empty(),
                new Owner("claude:one"),
                "command",
                "command",
                "{}",
                "as it was",
                Path.of("/"),
                Budget.ofOutput(1 << 30),
                false,
                1,
                Optional.empty());
    }

    private static int update(SqlConnection handle, RunId run) {
        return handle.execute("UPDATE run SET description = description || ', changed' WHERE id = ?", run.text());
    }

    private static void change(Ledger ledger, RunId run, AtomicInteger tries, Runnable atFirst) {
        ledger.write(Set.of(run.text()), _ -> Set.of(), handle -> {
            int changed = update(handle, run);
            if (tries.incrementAndGet() == 1) atFirst.run();
            return changed;
        });
    }

    private static String description(Ledger ledger, RunId run) {
        return ledger.runs().find(run).orElseThrow().description();
    }

    @Test
    void a_write_undone_by_a_crash_of_the_database_is_repeated_even_if_its_number_was_reused() {
        try (var postgres = PostgresServer.create()) {
            var address = postgres.newDatabase();
            try (var one = PostgresDatabase.open(address, "one", clock);
                    var other = PostgresDatabase.open(address, "other", clock)) {
                var run = one.submit(aRun(), Caps.NONE).id();
                var tries = new AtomicInteger();

                change(one, run, tries, () -> {
                    postgres.kill();
                    postgres.start();
                    for (int i = 0; i < 20; i++) other.submit(aRun(), Caps.NONE);
                });

                assertThat(tries).hasValue(2);
                assertThat(description(other, run)).isEqualTo("as it was, changed");
            }
        }
    }

    @Test
    void an_uncommitted_write_of_a_killed_session_is_repeated_once() {
        var address = SchemaDatabases.fresh();
        try (var one = PostgresDatabase.open(address, "one", clock);
                var other = PostgresDatabase.open(address, "other", clock)) {
            var run = one.submit(aRun(), Caps.NONE).id();
            var tries = new AtomicInteger();

            change(
                    one,
                    run,
                    tries,
                    () -> other.read(handle -> handle.select("""
                            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                             WHERE datname = current_database() AND application_name = 'roost one' AND state LIKE 'idle in%'
                            """).one(SqlConnection::count)));

            assertThat(tries).hasValue(2);
            assertThat(description(other, run)).isEqualTo("as it was, changed");
        }
    }

    @Test
    void a_committed_write_is_not_repeated() {
        var address = SchemaDatabases.fresh();
        var store = PostgresDatabase.store(DatabaseAddress.parse(address), "one");
        try (var writing = store.writing();
                var next = store.writing()) {
            writing.begin();
            store.lock(writing, Set.of("key"), 1);
            writing.commit();
            assertThat(store.isCommitted(next, 1)).isTrue();

            writing.begin();
            store.lock(writing, Set.of("key"), 2);
            writing.rollback();
            assertThat(store.isCommitted(next, 2)).isFalse();
            assertThat(store.isCommitted(next, 1)).isTrue();
        }
        store.close();
    }
}
