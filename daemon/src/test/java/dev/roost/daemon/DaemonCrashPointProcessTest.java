package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.CrashPoint;
import dev.roost.daemon.testing.CrashScenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Just before and just after every durable step the daemon dies, for real; and then once more. */
class DaemonCrashPointProcessTest {

    private static final boolean FULL = Boolean.getBoolean("roost.full");
    private static final long SEED = Long.getLong("roost.seed", 20261116);

    @TempDir
    Path scratch;

    /** All with {@code -Droost.full=true}, else one: each of them is a death of some pair, too. */
    static List<CrashPoint> points() {
        return FULL ? CrashPoint.all() : shuffled(CrashPoint.all()).subList(0, 1);
    }

    private static <T> List<T> shuffled(List<T> all) {
        var shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(SEED));
        return shuffled;
    }

    /** Some of these, in which each point is. */
    private static List<List<CrashPoint>> covering(List<List<CrashPoint>> pairs) {
        var missing = new HashSet<>(CrashPoint.all());
        var chosen = new ArrayList<List<CrashPoint>>();
        while (!missing.isEmpty()) {
            var next = pairs.stream()
                    .max(Comparator.comparingLong(pair ->
                            pair.stream().distinct().filter(missing::contains).count()))
                    .orElseThrow();
            chosen.add(next);
            missing.removeAll(next);
        }
        return chosen;
    }

    @Test
    void there_are_22_crash_points_and_254_pairs_in_possible_order() {
        assertThat(CrashPoint.all()).hasSize(22);
        assertThat(CrashPoint.pairs()).hasSize(254);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("points")
    @Timeout(120)
    void a_crash_at_any_point_breaks_no_promise(CrashPoint point) throws Exception {
        CrashScenario.play(scratch.resolve("life"), List.of(point));
    }

    /** All pairs with {@code -Droost.full=true}; else some with all points, and others with another {@code -Droost.seed}. */
    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void two_crashes_in_a_row_break_no_promise() throws Exception {
        var pairs = shuffled(CrashPoint.pairs());
        var chosen = FULL ? pairs : covering(pairs);
        assertThat(chosen.stream().flatMap(List::stream)).containsAll(CrashPoint.all());
        List<Callable<String>> lives = IntStream.range(0, chosen.size())
                .<Callable<String>>mapToObj(i -> () -> broken(i, chosen.get(i)))
                .toList();
        var broken = new ArrayList<String>();
        try (var two = Executors.newFixedThreadPool(2)) {
            for (var life : two.invokeAll(lives)) if (!life.get().isEmpty()) broken.add(life.get());
        }
        assertThat(broken)
                .as("of %d pairs out of %d, seed %d", chosen.size(), pairs.size(), SEED)
                .isEmpty();
    }

    /** What is wrong with it; empty if nothing is. */
    private String broken(int n, List<CrashPoint> pair) {
        try {
            CrashScenario.play(scratch.resolve("life-" + n), pair);
            return "";
        } catch (Exception | AssertionError e) {
            return "%s: %s".formatted(pair, e);
        }
    }
}
