package dev.roost.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs a check with one seed after the other: {@code -Droost.fuzz=N} sets the number of seeds, {@code -Droost.seed=N} runs
 * only that seed. A failure names its seed and shows its input.
 */
public final class FuzzRunner {

    private static final int MAX_SHOWN = 400;

    private FuzzRunner() {}

    /** A check with the mutations of one seed; it passes each input to {@code shown} before it uses the input. */
    public interface Trial {
        void with(Mutations mutations, Shown shown) throws Exception;
    }

    /** The input that a failure shows. */
    public static final class Shown {
        private byte[] input = {};

        public byte[] show(byte[] input) {
            this.input = input;
            return input;
        }
    }

    /** A check of one input. */
    public interface Check {
        void of(byte[] input) throws Exception;
    }

    public static void each(int defaultCount, List<byte[]> samples, Check check) {
        run(defaultCount, samples, (mutations, shown) -> check.of(shown.show(mutations.next())));
    }

    public static void run(int defaultCount, List<byte[]> samples, Trial trial) {
        long first = Long.getLong("roost.seed", 1);
        long count = System.getProperty("roost.seed") != null ? 1 : Long.getLong("roost.fuzz", defaultCount);
        for (long seed = first; seed < first + count; seed++) {
            var shown = new Shown();
            try {
                trial.with(new Mutations(seed, samples), shown);
            } catch (Exception | Error e) { // also a StackOverflowError
                throw new AssertionError(
                        "seed %d (replay with -Droost.seed=%d): %s\nwith %s"
                                .formatted(seed, seed, e, text(shown.input)),
                        e);
            }
        }
    }

    /** Printable bytes as text, other bytes as hex; the middle of a long input is left out. */
    static String text(byte[] input) {
        if (input.length > MAX_SHOWN) {
            int half = MAX_SHOWN / 2;
            return "%s … %d bytes … %s"
                    .formatted(
                            hex(input, 0, half),
                            input.length - 2 * half,
                            hex(input, input.length - half, input.length));
        }
        return hex(input, 0, input.length);
    }

    private static String hex(byte[] input, int from, int to) {
        var text = new StringBuilder();
        for (int i = from; i < to; i++) {
            if (input[i] >= ' ' && input[i] < 0x7f && input[i] != '\\') text.append((char) input[i]);
            else text.append("\\x%02x".formatted(input[i]));
        }
        return text.toString();
    }

    /** A text as a sample. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
