package dev.roost.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.Run;
import dev.roost.ledger.Work;
import dev.roost.run.Broken;
import dev.roost.shelf.ShelfName;
import dev.roost.shelf.ShelfStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Machines that share a ledger, and what they keep for each other. None of them outlives its test. */
abstract class SeveralMachines {

    @TempDir
    Path scratch;

    Machines machines;

    @BeforeEach
    void setUp() throws IOException {
        machines = new Machines(scratch);
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    static String node(Run run) {
        return run.latest().node().orElse("");
    }

    void awaitSaid(Run run, String said) {
        await().atMost(Machines.SOON)
                .untilAsserted(
                        () -> assertThat(onShelf(run, ShelfName.CONVERSATION)).contains(said));
    }

    /** Waits until a checkpoint with this file in it is where others find it. */
    void awaitWork(Machine any, Run run, String file) {
        await().atMost(Machines.SOON).untilAsserted(() -> {
            var work = any.show(run).work().orElseThrow();
            var ref = work.rescue().map(Work.Rescue::ref).orElse("HEAD");
            assertThat(Machines.git(work.place().common(), "ls-tree", "-r", "--name-only", ref))
                    .contains(file);
            assertThat(onShelf(run, ShelfName.WORK))
                    .contains(Machines.git(work.place().common(), "rev-parse", ref));
        });
    }

    private PostgresShelf shelf() {
        return new PostgresShelf(Address.parse(machines.address).source("a test", 0));
    }

    /** Its bytes, as far as they are letters; empty if there is no such file. Replaced while it is read, it is read again. */
    String onShelf(Run run, ShelfName name) {
        return await().ignoreExceptionsInstanceOf(Broken.class).until(() -> readOnce(run, name), read -> true);
    }

    private String readOnce(Run run, ShelfName name) throws IOException {
        var kept = shelf().find(run.id(), name);
        if (kept.isEmpty()) return "";
        try (var in = new ShelfStream(shelf(), run.id(), kept.get())) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    Run awaitRunning(Machine machine, Run run) {
        await().atMost(Machines.SOON)
                .until(() -> machine.show(run).latest().began().isPresent());
        return machine.show(run);
    }
}
