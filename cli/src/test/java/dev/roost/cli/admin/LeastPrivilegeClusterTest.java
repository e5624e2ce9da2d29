package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.cli.testing.ScriptedAgentCliFixture;
import dev.roost.cluster.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A node whose database role has only the privileges that it needs. */
class LeastPrivilegeClusterTest extends ScriptedAgentCliFixture {

    private static final String OWNER = "owners-secret-9f3a";
    private static final String NODE = "nodes-secret-71cc";

    private final String ledger = PostgresServer.shared().newDatabase();

    private static void execute(String address, String sql) throws SQLException {
        try (var connection = PostgresServer.connect(address);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String as(String role, String password) {
        return ledger.replaceAll("user=[^&]*", "user=" + role).replaceAll("password=[^&]*", "password=" + password);
    }

    private void makeRoles() throws IOException, SQLException {
        var script = Files.readString(Path.of("../integrations/postgresql/roles.sql"));
        execute(ledger, script);
        execute(ledger, script); // the script is idempotent
        execute(ledger, "ALTER ROLE roost_owner PASSWORD '%s'".formatted(OWNER));
        execute(ledger, "ALTER ROLE roost_node PASSWORD '%s'".formatted(NODE));
    }

    @Test
    void a_node_without_ddl_privileges_runs_after_the_owner_has_created_the_tables() throws Exception {
        makeRoles();
        config("""
                ledger = "%s"
                [node]
                name = "modest"
                """.formatted(as("roost_node", "").replaceAll("&password=", "")));
        var passwords = Files.createFile(
                scratch.resolve("pgpass"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(passwords, "127.0.0.1:*:*:roost_node:%s\n".formatted(NODE));
        var environment = Map.of("PGPASSFILE", passwords.toString());

        var early = roostWith("", environment, "daemon", "start");
        assertThat(early.exit()).as(early.err()).isEqualTo(4);
        assertThat(early.err()).contains("this role may not change them").contains("roost ledger migrate");
        assertThat(early.err()).doesNotContain(NODE);

        assertThat(roost("ledger", "migrate", as("roost_owner", OWNER)).ok().out())
                .contains("up to date (schema ");
        roostWith("", environment, "daemon", "start").ok();
        var run = start("echo modest");
        assertThat(roost("output", "--block", run).ok().out()).isEqualTo("modest\n");
        assertThat(roost("doctor").ok().out())
                .contains("roost_node reads and writes rows, and cannot change tables")
                .doesNotContain(NODE);

        assertThat(roost("prune", "--older-than", "1ms", "--unread").ok().out()).contains("Removed 1 run ");

        var node = as("roost_node", NODE);
        assertThatThrownBy(() -> execute(node, "DROP TABLE run")).hasMessageContaining("must be owner");
        assertThatThrownBy(() -> execute(node, "ALTER TABLE attempt ADD COLUMN x INT"))
                .hasMessageContaining("must be owner");
        assertThatThrownBy(() -> execute(node, "TRUNCATE event")).hasMessageContaining("permission denied");
        assertThatThrownBy(() -> execute(node, "CREATE TABLE mine (id INT)")).hasMessageContaining("permission denied");
        assertThatThrownBy(() -> execute(node, "DELETE FROM flyway_schema_history"))
                .hasMessageContaining("permission denied");
        try (var logs = Files.newDirectoryStream(home.resolve("logs"))) {
            for (var log : logs) assertThat(Files.readString(log)).doesNotContain(NODE);
        }
    }
}
