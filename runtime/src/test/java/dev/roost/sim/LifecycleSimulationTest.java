package dev.roost.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.db.MemoryLedgerDatabase;
import dev.roost.service.testing.ScheduleSeeds;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.commons.util.ExceptionUtils;

/** Thousands of simulated schedules in seconds: no order of crashes, losses and requests breaks a promise. */
class LifecycleSimulationTest {

    private static final int DEFAULT_SCHEDULES = 2000;
    private static final int MAX_SCHEDULES_PER_FLAW = 3000;

    private static final List<Logger> SILENT = Stream.of(
                    "dev.roost.ledger.db.GroupCommitWriter", "dev.roost.sessions.WakeScheduler")
            .map(Logger::getLogger)
            .toList(); // strong references: a collected logger loses its level

    @BeforeAll
    static void silenceExpectedFailures() {
        SILENT.forEach(logger -> logger.setLevel(Level.OFF));
    }

    @AfterAll
    static void restoreLoggers() {
        SILENT.forEach(logger -> logger.setLevel(null));
    }

    @Test
    void no_order_of_events_breaks_a_promise() {
        var seeds = ScheduleSeeds.asked(DEFAULT_SCHEDULES).toArray();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        var next = new AtomicInteger();
        long began = System.nanoTime();
        try (var lanes = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (int lane = 0; lane < Runtime.getRuntime().availableProcessors(); lane++) {
                lanes.execute(() -> {
                    var store = new MemoryLedgerDatabase();
                    for (int i = next.getAndIncrement();
                            i < seeds.length && broken.size() < 3;
                            i = next.getAndIncrement()) {
                        play(seeds[i], store).ifPresent(broken::add);
                        played.incrementAndGet();
                    }
                });
            }
        }
        System.out.printf(
                "  simulated: %d schedules ✓ %.0f a minute%n",
                played.get(), played.get() * 60e9 / (System.nanoTime() - began));
        assertThat(broken).isEmpty();
        assertThat(played.get()).isEqualTo(seeds.length);
    }

    @ParameterizedTest
    @EnumSource(value = SimulatedFlaw.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void each_simulated_flaw_is_found(SimulatedFlaw simulatedFlaw) {
        var store = new MemoryLedgerDatabase();
        Optional<String> how = Optional.empty();
        long seed = 0;
        while (how.isEmpty() && seed < MAX_SCHEDULES_PER_FLAW)
            how = new Simulation(++seed, simulatedFlaw, store, false).play();
        assertThat(how).as("%s, in %d schedules", simulatedFlaw, seed).isPresent();
        System.out.printf("  %s: schedule %d ✓ %s%n", simulatedFlaw, seed, how.get());
    }

    @Test
    void a_seed_plays_the_same_schedule_again() {
        var store = new MemoryLedgerDatabase();
        for (long seed = 1; seed <= 50; seed++)
            assertThat(eventLog(seed, store)).isEqualTo(eventLog(seed, new MemoryLedgerDatabase()));
    }

    private static List<String> eventLog(long seed, MemoryLedgerDatabase store) {
        var simulation = new Simulation(seed, SimulatedFlaw.NONE, store, true);
        var _ = simulation.play();
        return simulation.eventLog();
    }

    /** The broken promise, with the log of that schedule. */
    private static Optional<String> play(long seed, MemoryLedgerDatabase store) {
        try {
            if (new Simulation(seed, SimulatedFlaw.NONE, store, false).play().isEmpty()) return Optional.empty();
            var again = new Simulation(seed, SimulatedFlaw.NONE, store, true);
            return Optional.of("seed %d (replay with -Droost.seed=%d): %s\n%s\n"
                    .formatted(seed, seed, again.play().orElse("not again!"), String.join("\n", again.eventLog())));
        } catch (RuntimeException | Error e) {
            return Optional.of("seed %d ended with %s".formatted(seed, ExceptionUtils.readStackTrace(e)));
        }
    }
}
