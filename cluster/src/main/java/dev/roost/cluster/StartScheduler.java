package dev.roost.cluster;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.DeadExecutionHandler;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.roost.cluster.Placement.PlacedRun;
import dev.roost.cluster.db.SqlArray;
import dev.roost.ledger.db.SqlConnection;
import dev.roost.model.RunId;
import dev.roost.node.AttemptControl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * Starts the attempts placed on this node. Each is a task of db-scheduler, which picks it once, retries it after a failure, and
 * revives it if the daemon died in the middle of it.
 */
final class StartScheduler implements AutoCloseable {

    private static final String TASK = "start";
    /** Each start mostly waits for a group commit, which many share. */
    private static final int AT_ONCE = 32;

    private final Scheduler scheduler;

    StartScheduler(DataSource source, String node, Duration lease, AttemptControl attempts) {
        var task = Tasks.oneTime(TASK)
                .onFailure(new FailureHandler.ExponentialBackoffFailureHandler<>(Duration.ofSeconds(1), 1.5))
                .onDeadExecution((DeadExecutionHandler<Void>) (execution, operations) -> {
                    boolean own = execution.getExecution().getId().startsWith(node + "/");
                    if (own) new DeadExecutionHandler.ReviveDeadExecution<Void>().deadExecution(execution, operations);
                })
                .execute((instance, _) -> attempts.start(run(instance.getId())));
        this.scheduler = Scheduler.create(source, task)
                .schedulerName(new SchedulerName.Fixed(node))
                .threads(AT_ONCE)
                .executorService(Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("roost-starts-", 0).factory()))
                .pollUsingLockAndFetch(0.5, 1)
                .pollingInterval(Duration.ofSeconds(1))
                .heartbeatInterval(lease.dividedBy(2))
                .missedHeartbeatsLimit(4)
                .shutdownMaxWait(Duration.ofSeconds(2))
                .jdbcCustomization(new NodeStartTask(node))
                .build();
        scheduler.start();
    }

    /** Restricts the poll to this node's tasks. A node name has no character with a meaning in SQL. */
    private static final class NodeStartTask extends PostgreSqlJdbcCustomization {
        private final String node;

        NodeStartTask(String node) {
            super(true, true);
            this.node = node;
        }

        @Override
        public String createGenericSelectForUpdateQuery(String table, int limit, String condition, boolean byPriority) {
            String ownTasks = "AND task_name = '%s' AND task_instance >= '%s/' AND task_instance < '%s0' "
                    .formatted(TASK, node, node);
            return super.createGenericSelectForUpdateQuery(table, limit, ownTasks + condition, byPriority);
        }
    }

    /** Part of the write that places the runs. Due a day ago, because the node's own clock, which decides, may be behind. */
    static void schedule(SqlConnection handle, List<PlacedRun> placed) {
        var instances = placed.stream()
                .map(one -> instance(
                        one.node(), new RunId(one.run().run()), one.run().attempt()))
                .toList();
        handle.execute("""
                INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)
                SELECT ?, instance, clock_timestamp() - interval '1 day', FALSE, 1 FROM unnest(?) AS instance
                """, TASK, SqlArray.texts(instances));
    }

    /** Part of the write that takes the attempt away from the node. */
    static void cancel(SqlConnection handle, String node, RunId run, int attempt) {
        handle.execute(
                "DELETE FROM scheduled_tasks WHERE task_name = ? AND task_instance = ?",
                TASK,
                instance(node, run, attempt));
    }

    /** The same if the node has not picked the task; afterwards it cannot. */
    static boolean cancelUnstarted(SqlConnection handle, String node, RunId run, int attempt) {
        return handle.execute(
                        "DELETE FROM scheduled_tasks WHERE task_name = ? AND task_instance = ? AND NOT picked",
                        TASK,
                        instance(node, run, attempt))
                == 1;
    }

    /** Whether the node has an unpicked task to start the run. */
    static boolean isPending(SqlConnection handle, String node, RunId run) {
        return handle.select("""
                        SELECT EXISTS (SELECT 1 FROM scheduled_tasks
                                        WHERE task_name = ? AND task_instance >= ? AND task_instance < ? AND NOT picked)
                        """, TASK, "%s/%s/".formatted(node, run), "%s/%s0".formatted(node, run))
                .one(SqlConnection::truth);
    }

    /** The tasks whose attempts have ended: the node died before it could complete them in db-scheduler. */
    static List<String> endedStarts(SqlConnection handle, String node) {
        return handle.select("""
                        SELECT task_instance FROM scheduled_tasks
                         WHERE task_name = ? AND task_instance >= ? AND task_instance < ?
                           AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.status = 'running' AND a.node = ?
                                              AND task_instance = a.node || '/' || a.run_id || '/' || a.n)
                        """, TASK, node + "/", node + "0", node).list(SqlConnection::text);
    }

    static void cancel(SqlConnection handle, List<String> instances) {
        handle.execute(
                "DELETE FROM scheduled_tasks WHERE task_name = ? AND task_instance = ANY (?)",
                TASK,
                SqlArray.texts(instances));
    }

    /** Deletes all tasks of a node that was removed. */
    static void deleteStartsOf(SqlConnection handle, String node) {
        handle.execute(
                "DELETE FROM scheduled_tasks WHERE task_name = ? AND task_instance >= ? AND task_instance < ?",
                TASK,
                node + "/",
                node + "0");
    }

    private static String instance(String node, RunId run, int attempt) {
        return "%s/%s/%d".formatted(node, run, attempt);
    }

    private static RunId run(String instance) {
        return new RunId(instance.substring(instance.indexOf('/') + 1, instance.lastIndexOf('/')));
    }

    /** Polls at once. */
    void wake() {
        scheduler.triggerCheckForDueExecutions();
    }

    @Override
    public void close() {
        scheduler.stop();
    }
}
