package dev.roost.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Tries one seed after the other: {@code -Droost.fuzz=N} so many instead of the usual, {@code -Droost.seed=N} that one alone.
 * What fails says which seed it was, and shows what it was about.
 */
public final class FuzzRunner {

    private static final int MOST_SHOWN = 400;

    private FuzzRunner() {}

    /** Tries something with what a seed makes of the samples; {@code shown} is handed what was tried, before it is. */
    public interface Trial {
        void with(Mutations mutations, Shown shown) throws Exception;
    }

    /** What a failure shows. */
    public static final class Shown {
        private byte[] input = {};

        public byte[] show(byte[] input) {
            this.input = input;
            return input;
        }
    }

    /** The usual case: one input, whatever it is. */
    public interface Check {
        void of(byte[] input) throws Exception;
    }

    public static void each(int usually, List<byte[]> samples, Check check) {
        run(usually, samples, (mutations, shown) -> check.of(shown.show(mutations.next())));
    }

    public static void run(int usually, List<byte[]> samples, Trial trial) {
        long first = Long.getLong("roost.seed", 1);
        long many = System.getProperty("roost.seed") != null ? 1 : Long.getLong("roost.fuzz", usually);
        for (long seed = first; seed < first + many; seed++) {
            var shown = new Shown();
            try {
                trial.with(new Mutations(seed, samples), shown);
            } catch (Exception | Error e) { // also a stack that overflows
                throw new AssertionError(
                        "seed %d (again with -Droost.seed=%d): %s\nwith %s".formatted(seed, seed, e, text(shown.input)),
                        e);
            }
        }
    }

    /** Printable as it is, the rest as hex; the middle of what is long is left out. */
    static String text(byte[] input) {
        if (input.length > MOST_SHOWN) {
            int half = MOST_SHOWN / 2;
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

    /** The lines or documents of a text as samples. */
    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
