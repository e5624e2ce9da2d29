package dev.roost.cluster.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Broken;
import dev.roost.base.RoostError;
import dev.roost.cluster.testing.LoopbackCertificate;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a node connects, and how a failure is explained: never with the password. */
class ConnectionCheckClusterTest {

    @TempDir
    private Path scratch;

    private static String password(String address) {
        return address.replaceAll(".*password=([^&]*).*", "$1");
    }

    private static RoostError refused(String address) {
        var thrown = new Broken[1];
        assertThatThrownBy(() ->
                        PostgresDatabase.open(address, "a", new SystemClock()).close())
                .isInstanceOfSatisfying(Broken.class, e -> thrown[0] = e);
        var all = new StringWriter();
        thrown[0].printStackTrace(new PrintWriter(all));
        assertThat(all.toString() + thrown[0].hint()).doesNotContain(password(address));
        return thrown[0];
    }

    @Test
    void only_a_server_with_a_verified_certificate_is_trusted() throws IOException {
        try (var postgres = PostgresServer.withTls()) {
            var address = postgres.newDatabase();
            PostgresDatabase.open(address, "a", new SystemClock()).close();
            assertThat(DatabaseAddress.parse(address).verifies()).isTrue();

            var otherAuthority = LoopbackCertificate.make(scratch).authority();
            var other = refused(address.replace(postgres.authority().toString(), otherAuthority.toString()));
            assertThat(other.code()).isEqualTo("ledger_not_trusted");
            assertThat(other.sentence()).contains("could not prove its identity");

            assertThat(refused(address.replace("127.0.0.1", "127.1")).code())
                    .as("a host name that is not the certificate's")
                    .isEqualTo("ledger_not_trusted");
            var open = address.substring(0, address.indexOf("&sslmode")) + "&sslmode=disable";
            assertThat(refused(open).sentence()).contains("no encryption");
        }
    }

    @Test
    void a_failed_connection_is_explained_in_a_sentence() {
        var address = PostgresServer.shared().newDatabase();
        var wrong = refused(address.replace(password(address), "not-the-password"));
        assertThat(wrong.code()).isEqualTo("ledger_not_let_in");
        assertThat(wrong.hint()).contains("PGPASSWORD").contains("~/.pgpass");
        assertThat(refused(address.replaceAll("/test_\\d+", "/nowhere")).code()).isEqualTo("ledger_missing");
        assertThat(refused("postgresql://roost:geheim@127.0.0.1:1/roost?password=geheim")
                        .sentence())
                .contains("cannot be reached")
                .contains("127.0.0.1:1/roost as roost");
    }

    @Test
    void a_database_that_may_lose_acknowledged_writes_is_refused() {
        var address = PostgresServer.shared().newDatabase();
        var name = address.replaceAll(".*/(test_\\d+)\\?.*", "$1");
        for (var value : List.of("off", "local")) {
            PostgresServer.shared().execute("ALTER DATABASE %s SET synchronous_commit = %s".formatted(name, value));
            var refused = refused(address);
            assertThat(refused.code()).isEqualTo("ledger_forgets");
            assertThat(refused.sentence()).contains("synchronous_commit = " + value);
        }
        PostgresServer.shared().execute("ALTER DATABASE %s SET synchronous_commit = on".formatted(name));
        assertThatCode(() ->
                        PostgresDatabase.open(address, "a", new SystemClock()).close())
                .doesNotThrowAnyException();
    }

    @Test
    void the_password_can_come_from_the_environment() throws SQLException {
        var address = PostgresServer.shared().newDatabase();
        var without = address.replaceAll("&?password=[^&]*", "");
        var parsed = DatabaseAddress.parse(without, Map.of("PGPASSWORD", password(address)));
        parsed.source("test", 0).getConnection().close();
        assertThat(parsed.toString()).doesNotContain(password(address));
        assertThat(DatabaseAddress.parse(address, Map.of("PGPASSWORD", "another"))
                        .settings())
                .as("the address takes precedence")
                .containsEntry("password", password(address));
    }

    @Test
    void required_session_settings_override_all_others() throws SQLException {
        var address = PostgresServer.shared().newDatabase();
        try (var connection = PostgresServer.connect(address);
                var statement = connection.createStatement()) {
            statement.execute("""
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''', current_database());
                    END $$
                    """);
        }
        var more = address + "&options=-c%20work_mem=7MB%20-c%20idle_in_transaction_session_timeout=0";
        new ConnectionSource(DatabaseAddress.parse(more).source("a test", 5_000)).use(handle -> {
            assertThatCode(() -> PostgresDatabase.refuseOtherSettings(handle)).doesNotThrowAnyException();
            assertThat(handle.select("SELECT current_setting('work_mem')").one(SqlConnection::text))
                    .as("other settings stay")
                    .isEqualTo("7MB");
            handle.execute(
                    "SET default_transaction_isolation = 'repeatable read'"); // as if a pool had dropped our options
            assertThatThrownBy(() -> PostgresDatabase.refuseOtherSettings(handle))
                    .isInstanceOfSatisfying(
                            Broken.class, e -> assertThat(e.code()).isEqualTo("ledger_set_otherwise"))
                    .hasMessageContaining("repeatable read");
        });
    }
}
