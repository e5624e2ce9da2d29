package dev.roost.cluster.files.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.cluster.db.ConnectionSource;
import dev.roost.cluster.db.PostgresSchema;
import dev.roost.cluster.files.PostgresFileStore;
import dev.roost.cluster.testing.PostgresServer;
import dev.roost.ledger.db.SqlConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A database with the tables of the shared files, and a store on it. */
public final class FileStoreDatabase implements AutoCloseable {

    private final String url;
    private final HikariDataSource source;

    private FileStoreDatabase(String url) {
        this.url = url;
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement()) {
            for (var script : List.of("V1__ledger.sql", "V2__shelf.sql")) statement.execute(text(script));
        } catch (SQLException e) {
            throw new AssertionError(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var config = new HikariConfig();
        config.setJdbcUrl("jdbc:" + url);
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2_000);
        this.source = new HikariDataSource(config);
    }

    private static String text(String script) throws IOException {
        try (var tables = Objects.requireNonNull(PostgresSchema.class.getResourceAsStream("postgresql/" + script))) {
            return new String(tables.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public void execute(String sql) {
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    public void use(Consumer<SqlConnection> work) {
        new ConnectionSource(source).transact(handle -> {
            work.accept(handle);
            return handle;
        });
    }

    public static FileStoreDatabase create() {
        return on(PostgresServer.shared());
    }

    public static FileStoreDatabase on(PostgresServer postgres) {
        return new FileStoreDatabase(postgres.newDatabase());
    }

    public PostgresFileStore shelf() {
        return new PostgresFileStore(source);
    }

    public String url() {
        return url;
    }

    public long count(String sql) {
        try (var connection = PostgresServer.connect(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        source.close();
    }
}
