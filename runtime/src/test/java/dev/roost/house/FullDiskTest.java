package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.ledger.Meters;
import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Faults;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A disk without room delays what has to be written; it takes no run away, and no descriptor. */
class FullDiskTest extends RunsByHand {

    private volatile boolean full;

    @Override
    Config config() {
        return super.config().with(new Faults() {
            @Override
            public void before(List<Step> steps) {
                if (full) throw new IllegalStateException("[SQLITE_FULL] as SQLite says it");
            }

            @Override
            public void after(List<Step> steps) {}

            @Override
            public void before(Step step) {} // what is no commit
        });
    }

    @AfterEach
    void roomAgain() {
        full = false;
    }

    private House openAmong(Peers peers) {
        var ledger = SqliteLedger.open(home.ledger(), clock());
        return House.open(home, config(), Projects.NONE, clock(), Meters.NONE, ledger, peers);
    }

    /** Files of the home, and what the kernel made for watching. */
    private List<String> held() throws IOException {
        var held = new ArrayList<String>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var descriptor : descriptors) {
                try {
                    held.add(Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException e) {
                    // closed meanwhile
                }
            }
        }
        held.removeIf(file -> !file.startsWith("anon_inode:") && !file.startsWith(home.runs() + "/"));
        return held;
    }

    @Test
    void a_live_run_is_led_again_though_that_cannot_be_noted() throws IOException {
        var run = sh("sleep 1000");
        awaitBegun(run);
        house.close();
        full = true;

        house = open();

        assertThat(house.live()).isEqualTo(1);
        full = false;
        assertThat(house.stop(show(run), AS_PARENT).status()).isEqualTo(Status.CANCELED_BY_USER);
    }

    @Test
    void a_queued_run_keeps_no_daemon_from_its_start_and_begins_when_there_is_room() throws IOException {
        house.close();
        var run = row("echo", "ran");
        full = true;

        house = open();

        assertThat(show(run).status()).isEqualTo(Status.QUEUED);
        full = false;
        house.sweep();
        assertThat(result(awaitEnd(show(run)))).isEqualTo("ran\n");
    }

    @Test
    void a_daemon_that_cannot_start_lets_go_of_all_it_had_taken_up() throws IOException {
        var run = sh("sleep 1000");
        awaitBegun(run);
        house.close();
        var before = held();

        assertThatThrownBy(() -> openAmong(new Peers() {
                    @Override
                    public void join(Led led) {
                        assertThat(led.count()).isEqualTo(1);
                        throw new Refused("not_now", "Nobody may join.", "Wait.");
                    }
                }))
                .hasMessageContaining("Nobody may join");

        assertThat(held()).containsExactlyInAnyOrderElementsOf(before);
        house = open();
        assertThat(show(run).status()).isEqualTo(Status.RUNNING);
        assertThat(house.live()).isEqualTo(1);
    }

    /** Of a node that is given a run of which nothing is there. */
    private RunId given() throws IOException {
        var run = row("echo", "ran");
        claim();
        home.run(run).attempt(1).delete();
        return run;
    }

    @Test
    void what_cannot_be_refused_for_want_of_room_holds_no_files_open() throws IOException {
        house.close();
        var run = given();
        full = true;
        var tries = new AtomicInteger();
        house = openAmong(new Peers() {
            @Override
            public boolean any() {
                return true;
            }

            @Override
            public Optional<Wish> ordered(RunId run, int attempt) {
                tries.incrementAndGet();
                throw new Refused("not_here", "That is not for here.", "Ask elsewhere.");
            }
        });

        await().atMost(SOON).until(() -> {
            house.sweep();
            return tries.get() > 5;
        });

        await().atMost(SOON).untilAsserted(() -> assertThat(held()).noneMatch(file -> file.startsWith("/")));
        full = false;
        house.sweep();
        assertThat(awaitEnd(show(run)).status()).isEqualTo(Status.FAILED);
    }
}
