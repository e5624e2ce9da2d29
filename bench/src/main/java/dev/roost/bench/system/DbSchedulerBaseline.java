package dev.roost.bench.system;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.roost.cluster.db.ConnectionSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** db-scheduler alone, in a schema of its own. Without further work of its tasks it stores no states, output or notices. */
public final class DbSchedulerBaseline implements AutoCloseable {

    private static final int THREADS = 32; // as many as a node of Roost starts concurrently

    private final HikariDataSource source;
    private final Scheduler scheduler;
    private final OneTimeTask<Void> task;
    private volatile boolean rows;
    private final Map<String, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();

    public interface Work {
        void run() throws Exception;
    }

    /** Its tasks also write the rows of a run's lifecycle, with a commit for each step. */
    public static DbSchedulerBaseline withRows(String address) {
        var scheduler = new DbSchedulerBaseline(address, () -> {});
        scheduler.rows = true;
        new ConnectionSource(scheduler.source).use(handle -> handle.execute(RunRowWriter.TABLES));
        return scheduler;
    }

    public DbSchedulerBaseline(String address, Work work) {
        var config = new HikariConfig();
        config.setJdbcUrl("jdbc:" + address + "&currentSchema=bare");
        config.setMaximumPoolSize(THREADS);
        this.source = new HikariDataSource(config);
        new ConnectionSource(source).use(handle -> handle.execute("""
                CREATE SCHEMA IF NOT EXISTS bare;
                CREATE TABLE IF NOT EXISTS bare.scheduled_tasks (
                    task_name            TEXT NOT NULL,
                    task_instance        TEXT NOT NULL,
                    task_data            BYTEA,
                    execution_time       TIMESTAMPTZ NOT NULL,
                    picked               BOOLEAN NOT NULL,
                    picked_by            TEXT,
                    last_success         TIMESTAMPTZ,
                    last_failure         TIMESTAMPTZ,
                    consecutive_failures INT,
                    last_heartbeat       TIMESTAMPTZ,
                    version              BIGINT NOT NULL,
                    priority             SMALLINT,
                    PRIMARY KEY (task_name, task_instance)
                );
                CREATE INDEX IF NOT EXISTS due ON bare.scheduled_tasks (execution_time);
                CREATE INDEX IF NOT EXISTS heartbeat ON bare.scheduled_tasks (last_heartbeat);
                """));
        this.task = Tasks.oneTime("bare").execute((instance, _) -> {
            var end = Objects.requireNonNull(ends.remove(instance.getId()));
            try {
                write(instance.getId(), RunRowWriter::claimed);
                write(instance.getId(), RunRowWriter::began);
                work.run();
                write(instance.getId(), RunRowWriter::ended);
                end.complete(null);
            } catch (Exception e) {
                end.completeExceptionally(e);
            }
        });
        this.scheduler = Scheduler.create(source, task)
                .threads(THREADS)
                .pollUsingLockAndFetch(0.5, 4)
                .pollingInterval(Duration.ofSeconds(1))
                .enableImmediateExecution()
                .build();
        scheduler.start();
    }

    public void run() throws Exception {
        var id = UUID.randomUUID().toString();
        var end = new CompletableFuture<Void>();
        ends.put(id, end);
        write(id, RunRowWriter::submitted);
        scheduler.schedule(task.instance(id), Instant.now());
        end.get(60, TimeUnit.SECONDS);
    }

    private void write(String id, RunRowWriter.Step step) throws SQLException {
        if (!rows) return;
        try (var connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try (var runRowWriter = new RunRowWriter(connection)) {
                step.of(runRowWriter, id);
            }
            connection.commit();
        }
    }

    @Override
    public void close() {
        scheduler.stop();
        source.close();
    }
}
