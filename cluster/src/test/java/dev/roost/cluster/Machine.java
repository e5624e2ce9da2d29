package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.house.Projects;
import dev.roost.house.StartRequest;
import dev.roost.ledger.Meters;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Notify;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** A machine of a cluster: a user's home, a Roost, and mostly a clone of the repository at a path of its own. */
final class Machine {

    private final Machines all;
    final String name;
    final Path user;
    final Path clone;
    final Home home;
    final int maxLive;
    House house;
    private boolean dead;

    Machine(Machines all, String name, int maxLive, boolean withClone) throws IOException {
        this.all = all;
        this.name = name;
        this.maxLive = maxLive;
        this.user = Files.createDirectories(all.root.resolve(name));
        this.clone = user.resolve("src-of-" + name).resolve("app");
        if (withClone) {
            Files.createDirectories(clone.getParent());
            Machines.git(all.root, "clone", "-q", all.origin.toString(), clone.toString());
        }
        this.home = Home.open(user.resolve("roost"));
        this.house = open();
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

    private House open() {
        var labels = new TreeSet<>(List.of("node:" + name, "agent:command", "agent:scripted", "tag:at-" + name));
        if (Files.isDirectory(clone)) labels.add("dir:" + clone);
        var member = new Member(
                name,
                home.identity(),
                "test",
                labels,
                maxLive,
                100,
                new Member.Leases(Duration.ofSeconds(6), Duration.ofSeconds(8)));
        var machine = Map.of("PATH", System.getenv("PATH"), "HOME", user.toString());
        var clock = new SystemClock();
        var cluster =
                Cluster.open(all.address, member, home, clock, new Cluster.Habits(machine, Duration.ofSeconds(1)));
        return House.open(home, all.config(), Projects.NONE, clock, Meters.NONE, cluster.ledger(), cluster);
    }

    Run start(Path cwd, boolean worktree) {
        return start("scripted", new Task(List.of(), Optional.of("do it")), cwd, worktree);
    }

    Run start(String agent, Task task, Path cwd, boolean worktree, String... on) {
        return start(Optional.empty(), agent, task, cwd, worktree, on);
    }

    Run startNamed(String name, Task task) {
        return start(Optional.of(name), "command", task, clone, false);
    }

    private Run start(Optional<String> called, String agent, Task task, Path cwd, boolean worktree, String... on) {
        return house.start(new StartRequest(
                Machines.PARENT,
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

    Run show(Run run) {
        return house.find(run.id().text(), Machines.OPERATOR);
    }

    Run awaitEnd(Run run) {
        var output = house.output(show(run), new Output.Request(Optional.empty(), 0, Output.Until.END, Machines.SOON));
        assertThat(output.timedOut())
                .as("%s should have ended: %s", run.id(), house.events(run))
                .isFalse();
        return output.run();
    }

    String said(Run run) {
        return house.output(show(run), Output.Request.now()).text();
    }

    List<String> timeline(Run run) {
        return house.events(run).stream()
                .map(event -> event.kind() + ": " + event.text())
                .toList();
    }

    /** Nobody tells the others: as far as they know, the machine just fell silent. */
    void die() {
        if (dead) return;
        dead = true;
        var live = house.list(Query.of(Query.Which.LIVE), Machines.OPERATOR);
        house.close();
        for (var run : live) {
            run.latest()
                    .began()
                    .filter(_ -> run.latest().node().equals(Optional.of(name)))
                    .ifPresent(began -> {
                        ProcessTree.kill(began.perch());
                        ProcessTree.kill(began.agent());
                        await().atMost(Machines.SOON).until(() -> !Processes.alive(began.agent()));
                    });
        }
    }

    boolean isDead() {
        return dead;
    }

    void comeBack() {
        house = open();
        dead = false;
    }
}
