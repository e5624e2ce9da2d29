package dev.roost.daemon;

import static org.awaitility.Awaitility.await;

import dev.roost.cluster.RealPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * How long it takes from kill -9 of a worker until its run has its end in the ledger: twenty kills, printed. Not a test; by
 * the clock of the one machine that everything runs on.
 */
final class TakeoverFigures {

    private static final int KILLS = 20;
    private static final List<String> WORKERS = List.of("w1", "w2", "w3", "w4");

    private TakeoverFigures() {}

    public static void main(String[] arguments) throws Exception {
        var scratch = Files.createTempDirectory("roost-takeover-");
        try (var postgres = RealPostgres.create();
                var cluster = new RealCluster(scratch, postgres.newDatabase(), new RealCluster.Limits(100, 1, 100))) {
            var front = cluster.front();
            for (var name : WORKERS) cluster.worker(name);
            var times = new ArrayList<Long>();
            while (times.size() < KILLS) times.addAll(round(cluster, front));
            Collections.sort(times);
            System.out.printf(
                    "lease %d s, grace %d s: from kill -9 to the end in the ledger, %d kills: least %d ms, median %d ms, most %d ms%n%s%n",
                    RealCluster.LEASE_SECONDS,
                    RealCluster.GRACE_SECONDS,
                    times.size(),
                    times.getFirst(),
                    times.get(times.size() / 2),
                    times.getLast(),
                    times);
        }
        delete(scratch);
    }

    /** Each worker has one run; all are killed, a third of a lease apart so that they die at any moment of theirs. */
    private static List<Long> round(RealCluster cluster, RealNode front) throws Exception {
        for (int i = 0; i < WORKERS.size(); i++) front.call("start", cluster.task("claude:one", "exec sleep 1000"));
        await().atMost(RealCluster.LATE)
                .until(() -> cluster.count("SELECT count(*) FROM attempt_live WHERE agent_pid IS NOT NULL")
                        == WORKERS.size());
        record Kill(String run, long at) {}
        var kills = new ArrayList<Kill>();
        for (var name : WORKERS) {
            var node = Objects.requireNonNull(cluster.nodes.get(name));
            var run = cluster.runningOn(node).getFirst();
            kills.add(new Kill(run, System.currentTimeMillis()));
            node.kill9();
            await().pollDelay(Duration.ofMillis(270)).until(() -> true);
        }
        await().atMost(RealCluster.LATE).until(() -> cluster.count("SELECT count(*) FROM attempt_live") == 0);
        var times = new ArrayList<Long>();
        for (var kill : kills) {
            var ended =
                    cluster.column("SELECT ended_at FROM attempt_ended WHERE cause = 'worker_lost' AND run_id = '%s'"
                            .formatted(kill.run));
            times.add(Long.parseLong(ended.getFirst()) - kill.at);
        }
        for (var name : WORKERS) Objects.requireNonNull(cluster.nodes.get(name)).start();
        return times;
    }

    private static void delete(Path directory) throws Exception {
        new ProcessBuilder("rm", "-rf", "--", directory.toString()).start().waitFor();
    }
}
