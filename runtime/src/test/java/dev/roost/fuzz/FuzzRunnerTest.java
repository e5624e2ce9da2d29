package dev.roost.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class FuzzRunnerTest {

    private static final List<byte[]> SAMPLES =
            List.of(FuzzRunner.bytes("{\"status\":0,\"signaled\":false}\n"), FuzzRunner.bytes("a = 1\n"));

    @Test
    void a_seed_reproduces_its_bytes_and_another_seed_gives_others() {
        var all = new HashSet<Integer>();
        for (long seed = 1; seed <= 1000; seed++) {
            var input = new Mutations(seed, SAMPLES).next();
            assertThat(new Mutations(seed, SAMPLES).next()).isEqualTo(input);
            all.add(Arrays.hashCode(input));
        }
        assertThat(all).hasSizeGreaterThan(600);
    }

    @Test
    void a_failure_names_its_seed_and_shows_its_input() {
        assertThatThrownBy(() -> FuzzRunner.run(5, SAMPLES, (mutations, shown) -> {
                    shown.show(new byte[] {'a', 0, (byte) 0xff, '\\'});
                    throw new IllegalStateException("broken");
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Droost.seed=")
                .hasMessageContaining("broken")
                .hasMessageContaining("a\\x00\\xff\\x5c");
    }

    @Test
    void only_both_ends_of_a_long_input_are_shown() {
        assertThat(FuzzRunner.text(FuzzRunner.bytes("<" + "x".repeat(1 << 20) + ">")))
                .startsWith("<xxx")
                .endsWith("xxx>")
                .contains("1048178 bytes")
                .hasSizeLessThan(500);
    }
}
