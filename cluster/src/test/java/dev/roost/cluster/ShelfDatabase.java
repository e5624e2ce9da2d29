package dev.roost.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.ledger.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A database with the tables of the shelf, and a shelf on it. */
final class ShelfDatabase implements AutoCloseable {

    private final String url;
    private final HikariDataSource source;

    private ShelfDatabase(String url) {
        this.url = url;
        try (var connection = RealPostgres.connect(url);
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
        try (var tables = Objects.requireNonNull(PostgresShelf.class.getResourceAsStream("postgresql/" + script))) {
            return new String(tables.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    void execute(String sql) {
        try (var connection = RealPostgres.connect(url);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    void use(Consumer<Sql> work) {
        new Database(source).transact(handle -> {
            work.accept(handle);
            return handle;
        });
    }

    static ShelfDatabase create() {
        return on(RealPostgres.shared());
    }

    static ShelfDatabase on(RealPostgres postgres) {
        return new ShelfDatabase(postgres.newDatabase());
    }

    PostgresShelf shelf() {
        return new PostgresShelf(source);
    }

    String url() {
        return url;
    }

    long count(String sql) {
        try (var connection = RealPostgres.connect(url);
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
