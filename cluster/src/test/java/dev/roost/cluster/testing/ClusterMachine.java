package dev.roost.cluster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.cluster.NodeIdentity;
import dev.roost.cluster.PostgresCluster;
import dev.roost.config.ProjectLookup;
import dev.roost.engine.StartRequest;
import dev.roost.home.Home;
import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Notify;
import dev.roost.os.Processes;
import dev.roost.os.SystemClock;
import dev.roost.output.OutputPage;
import dev.roost.process.ProcessTree;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** A machine of a cluster: a user's home, a Roost, and usually its own clone of the repository. */
public final class ClusterMachine {

    private final ClusterMachines all;
    public final String name;
    public final Path user;
    public final Path clone;
    public final Home home;
    public final int maxLive;
    public RoostService service;
    private boolean dead;

    ClusterMachine(ClusterMachines all, String name, int maxLive, boolean withClone) throws IOException {
        this.all = all;
        this.name = name;
        this.maxLive = maxLive;
        this.user = Files.createDirectories(all.root.resolve(name));
        this.clone = user.resolve("src-of-" + name).resolve("app");
        if (withClone) {
            Files.createDirectories(clone.getParent());
            ClusterMachines.git(all.root, "clone", "-q", all.origin.toString(), clone.toString());
        }
        this.home = Home.open(user.resolve("roost"));
        this.service = open();
    }

    Map<String, String> environment() {
        return Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                user.toString(),
                "SIGNALS",
                all.root.toString(),
                "GIT_CONFIG_NOSYSTEM",
                "1");
    }

    private RoostService open() {
        var labels = new TreeSet<>(List.of("node:" + name, "agent:command", "agent:scripted", "tag:at-" + name));
        if (Files.isDirectory(clone)) labels.add("dir:" + clone);
        var identity = new NodeIdentity(
                name,
                home.identity(),
                "test",
                labels,
                maxLive,
                100,
                new NodeIdentity.LeaseTimes(Duration.ofSeconds(6), Duration.ofSeconds(8)));
        var machine = Map.of("PATH", System.getenv("PATH"), "HOME", user.toString());
        var clock = new SystemClock();
        var cluster = PostgresCluster.open(
                all.address,
                identity,
                home,
                clock,
                new PostgresCluster.MachineSettings(machine, Duration.ofSeconds(1)));
        return RoostService.open(
                home, all.config(), ProjectLookup.NONE, clock, LedgerMetrics.NONE, cluster.ledger(), cluster.roles());
    }

    public RunRecord start(Path cwd, boolean worktree) {
        return start("scripted", new Task(List.of(), Optional.of("do it")), cwd, worktree);
    }

    public RunRecord start(String agent, Task task, Path cwd, boolean worktree, String... on) {
        return start(Optional.empty(), agent, task, cwd, worktree, on);
    }

    public RunRecord startNamed(String name, Task task) {
        return start(Optional.of(name), "command", task, clone, false);
    }

    private RunRecord start(
            Optional<String> called, String agent, Task task, Path cwd, boolean worktree, String... on) {
        return service.start(new StartRequest(
                ClusterMachines.PARENT,
                agent,
                task,
                called,
                Optional.empty(),
                cwd,
                environment(),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN,
                new StartRequest.Terms(Notify.DONE, Optional.empty(), List.of(), worktree, List.of(on))));
    }

    public RunRecord show(RunRecord run) {
        return service.find(run.id().text(), ClusterMachines.OPERATOR);
    }

    public RunRecord awaitEnd(RunRecord run) {
        var output = service.output(
                show(run), new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, ClusterMachines.SOON));
        assertThat(output.timedOut())
                .as("%s should have ended: %s", run.id(), service.events(run))
                .isFalse();
        return output.run();
    }

    public String said(RunRecord run) {
        return service.output(show(run), OutputPage.Request.now()).text();
    }

    public List<String> timeline(RunRecord run) {
        return service.events(run).stream()
                .map(event -> event.kind() + ": " + event.text())
                .toList();
    }

    /** Stops without releasing the lease: for the other nodes the machine fell silent. */
    public void die() {
        if (dead) return;
        dead = true;
        var live = service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), ClusterMachines.OPERATOR);
        service.close();
        for (var run : live) {
            run.latest()
                    .began()
                    .filter(_ -> run.latest().node().equals(Optional.of(name)))
                    .ifPresent(startedProcesses -> {
                        ProcessTree.kill(startedProcesses.perch());
                        ProcessTree.kill(startedProcesses.agent());
                        await().atMost(ClusterMachines.SOON).until(() -> !Processes.alive(startedProcesses.agent()));
                    });
        }
    }

    boolean isDead() {
        return dead;
    }

    public void comeBack() {
        service = open();
        dead = false;
    }
}
