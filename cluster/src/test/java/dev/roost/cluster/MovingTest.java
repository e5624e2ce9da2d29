package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cluster.Machines.Machine;
import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Status;
import dev.roost.shelf.ShelfName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run whose machine is lost goes on on another one: its conversation and its files are there. */
class MovingTest {

    private static final String WORKS_UNTIL_LOST = """
            if [ $resumed = no ]; then
                echo changed >>a.txt
                echo fresh >new.txt
                say half-way
                while :; do sleep 0.2; done
            fi
            grep -q half-way "$kept/$session.jsonl" && say remembered
            [ -f new.txt ] && say "files-$(cat new.txt)-$(tail -n 1 a.txt)"
            result finished
            """;

    @TempDir
    Path scratch;

    private Machines machines;

    @BeforeEach
    void setUp() throws IOException {
        machines = new Machines(scratch);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private static String node(Run run) {
        return run.latest().node().orElse("");
    }

    /** Waits until all that it needs elsewhere is kept. */
    private void awaitPacked(Machine any, Run run, String file) {
        await().atMost(Machines.SOON).untilAsserted(() -> {
            assertThat(stowed(run)).contains(ShelfName.CONVERSATION);
            var work = any.show(run).work();
            if (file.isEmpty()) return;
            assertThat(stowed(run)).contains(ShelfName.WORK);
            var place = work.orElseThrow().place();
            var ref = work.flatMap(Work::rescue).orElseThrow().ref();
            assertThat(Machines.git(place.common(), "ls-tree", "--name-only", ref))
                    .contains(file);
        });
    }

    private List<ShelfName> stowed(Run run) {
        return new PostgresShelf(Address.parse(machines.address).source("a test", 0))
                .list(run.id()).stream().map(kept -> kept.name()).toList();
    }

    private Machine other(Run run, Machine one, Machine two) {
        return node(run).equals(one.name) ? two : one;
    }

    private Run awaitRunning(Machine machine, Run run) {
        await().atMost(Machines.SOON)
                .until(() -> machine.show(run).latest().began().isPresent());
        return machine.show(run);
    }

    @Test
    void a_run_whose_machine_is_lost_goes_on_elsewhere_with_its_conversation_and_its_files() throws IOException {
        machines.doing(WORKS_UNTIL_LOST);
        var one = machines.machine("one");
        var two = machines.machine("two");
        var run = awaitRunning(one, one.start(one.clone.resolve("sub"), true));
        var had = node(run).equals("one") ? one : two;
        var takes = other(run, one, two);
        assertThat(run.cwd()).isEqualTo(had.home.worktree(run.id()).resolve("sub"));
        awaitPacked(takes, run, "sub");
        had.die();

        var ended = takes.awaitEnd(run);

        assertThat(ended.status())
                .as("%s %s", takes.timeline(run), ended.latest().evidence())
                .isEqualTo(Status.COMPLETED);
        assertThat(ended.latest().n()).isEqualTo(2);
        assertThat(node(ended)).isEqualTo(takes.name);
        assertThat(ended.cwd()).isEqualTo(takes.home.worktree(run.id()).resolve("sub"));
        assertThat(takes.said(run))
                .contains("half-way", "resumed on " + takes.name, "remembered", "files-fresh-changed");
        assertThat(takes.roost.changed(ended).orElseThrow())
                .extracting(changed -> changed.path().toString())
                .contains("sub/new.txt");
    }
}
