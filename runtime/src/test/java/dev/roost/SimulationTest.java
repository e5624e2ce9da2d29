package dev.roost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.ledger.MemoryStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Thousands of possible days in seconds: no order of crashes, losses and wishes breaks a promise. */
class SimulationTest {

    private static final int USUALLY = 2000;
    private static final int FLAWS_FOUND_WITHIN = 20_000;

    private static final List<Logger> SILENT = Stream.of("dev.roost.ledger.Writer", "dev.roost.Waking")
            .map(Logger::getLogger)
            .toList(); // a logger that nobody holds forgets its level

    @BeforeAll
    static void writes_that_fail_on_purpose_are_no_news() {
        SILENT.forEach(logger -> logger.setLevel(Level.OFF));
    }

    @AfterAll
    static void others_want_to_hear_of_them() {
        SILENT.forEach(logger -> logger.setLevel(null));
    }

    @Test
    void no_order_of_events_breaks_a_promise() {
        var seeds = Seeds.asked(USUALLY).toArray();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        var played = new AtomicInteger();
        var next = new AtomicInteger();
        long began = System.nanoTime();
        try (var lanes = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (int lane = 0; lane < Runtime.getRuntime().availableProcessors(); lane++) {
                lanes.execute(() -> {
                    var store = new MemoryStore();
                    for (int i = next.getAndIncrement(); i < seeds.length && broken.size() < 3; i = next.getAndIncrement()) {
                        play(seeds[i], Flaw.NONE, store).ifPresent(broken::add);
                        played.incrementAndGet();
                    }
                });
            }
        }
        System.out.printf(
                "simulation: %d schedules in %.1f s%n", played.get(), (System.nanoTime() - began) / 1e9);
        assertThat(broken).isEmpty();
        assertThat(played.get()).isEqualTo(seeds.length);
    }

    @ParameterizedTest
    @EnumSource(value = Flaw.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void a_bug_that_others_have_had_is_found(Flaw flaw) {
        var store = new MemoryStore();
        var found = new AtomicLong(-1);
        Optional<String> how = Optional.empty();
        for (long seed = 1; how.isEmpty() && seed <= FLAWS_FOUND_WITHIN; seed++) {
            how = new Simulation(seed, flaw, store, false).play();
            found.set(seed);
        }
        assertThat(how).as("%s", flaw).isPresent();
        System.out.printf("  %s: found by schedule %d: %s%n", flaw, found.get(), how.get());
    }

    @Test
    void a_seed_plays_the_same_day_again() {
        var store = new MemoryStore();
        for (long seed = 1; seed <= 50; seed++) assertThat(diary(seed, store)).isEqualTo(diary(seed, new MemoryStore()));
    }

    private static List<String> diary(long seed, MemoryStore store) {
        var simulation = new Simulation(seed, Flaw.NONE, store, true);
        var _ = simulation.play();
        return simulation.diary();
    }

    /** What was broken, with the diary of that day. */
    private static Optional<String> play(long seed, Flaw flaw, MemoryStore store) {
        Optional<String> broken;
        try {
            broken = new Simulation(seed, flaw, store, false).play();
        } catch (RuntimeException | Error e) {
            var trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            return Optional.of("seed %d ended with %s".formatted(seed, trace));
        }
        if (broken.isEmpty()) return broken;
        var again = new Simulation(seed, flaw, store, true);
        return Optional.of("seed %d broke a promise (replay with -Droost.seed=%d): %s%n%s%nand once more: %s"
                .formatted(seed, seed, broken.get(), "", again.play().orElse("it did not do so again")) + "\n" + String.join("\n", again.diary()));
    }
}
