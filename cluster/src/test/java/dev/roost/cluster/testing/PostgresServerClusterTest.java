package dev.roost.cluster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the test server itself. */
class PostgresServerClusterTest {

    @Test
    void each_test_gets_an_empty_database() throws SQLException {
        var one = PostgresServer.shared().newDatabase();
        var other = PostgresServer.shared().newDatabase();

        update(one, "CREATE TABLE thing (id INT)");

        assertThat(count(one, "SELECT count(*) FROM pg_tables WHERE tablename = 'thing'"))
                .isEqualTo(1);
        assertThat(count(other, "SELECT count(*) FROM pg_tables WHERE tablename = 'thing'"))
                .isZero();
    }

    @Test
    void committed_rows_survive_a_crash() throws SQLException {
        try (var postgres = PostgresServer.create()) {
            var database = postgres.newDatabase();
            update(database, "CREATE TABLE thing (id INT)");
            update(database, "INSERT INTO thing SELECT generate_series(1, 1000)");

            postgres.kill();
            assertThatThrownBy(() -> count(database, "SELECT count(*) FROM thing"))
                    .isInstanceOf(SQLException.class);
            postgres.start();

            assertThat(count(database, "SELECT count(*) FROM thing")).isEqualTo(1000);
        }
    }

    @Test
    void a_promoted_standby_has_every_acknowledged_row() throws Exception {
        try (var postgres = PostgresServer.create()) {
            var database = postgres.newDatabase();
            update(database, "CREATE TABLE thing (id INT)");
            var standby = postgres.standby();
            var acknowledged = new AtomicInteger();
            var enough = new CountDownLatch(200);
            var writer = Thread.ofVirtual().start(() -> {
                try (var connection = PostgresServer.connect(database);
                        var insert = connection.prepareStatement("INSERT INTO thing VALUES (1)")) {
                    while (true) {
                        insert.executeUpdate();
                        acknowledged.incrementAndGet();
                        enough.countDown();
                    }
                } catch (SQLException e) {
                    // the primary was killed
                }
            });
            enough.await();

            postgres.kill();
            writer.join();
            standby.promote();

            var promoted = postgres.urlOn(standby, database);
            assertThat(count(promoted, "SELECT count(*) FROM thing"))
                    .isBetween(acknowledged.get(), acknowledged.get() + 1); // the reply of the last may be lost
            update(postgres.urlWith(standby, database), "INSERT INTO thing VALUES (2)");
        }
    }

    @Test
    void only_verified_tls_connections_are_accepted() throws SQLException {
        try (var postgres = PostgresServer.withTls()) {
            var database = postgres.newDatabase();

            assertThat(count(database, "SELECT count(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()"))
                    .isEqualTo(1);
            var open = database.substring(0, database.indexOf("&sslmode")) + "&sslmode=disable";
            assertThatThrownBy(() -> count(open, "SELECT 1")).hasMessageContaining("no encryption");
            var otherName = database.replace("127.0.0.1", "127.0.0.2");
            assertThatThrownBy(() -> count(otherName, "SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    private static int count(String url, String sql) throws SQLException {
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void update(String url, String sql) throws SQLException {
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
