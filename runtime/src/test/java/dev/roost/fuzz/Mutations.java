package dev.roost.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Mutates samples: the same seed and samples give the same bytes. */
public final class Mutations {

    private static final int LONG = 1 << 16;
    private static final int DEEP = 2_000;

    private final Random random;
    private final List<byte[]> samples;

    public Mutations(long seed, List<byte[]> samples) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.samples = samples;
    }

    public Random random() {
        return random;
    }

    public byte[] sample() {
        return samples.get(random.nextInt(samples.size()));
    }

    /** A random sample with one to six mutations. */
    public byte[] next() {
        return wrong(sample());
    }

    public byte[] wrong(byte[] sample) {
        var bytes = sample;
        for (int i = random.nextInt(1, 7); i > 0; i--) bytes = once(bytes);
        return bytes;
    }

    /** A file after a crash: truncated, or with a range of zeros. */
    public byte[] torn(byte[] sample) {
        int at = random.nextInt(sample.length + 1);
        if (random.nextBoolean()) return Arrays.copyOf(sample, at);
        var bytes = sample.clone();
        Arrays.fill(bytes, at, Math.min(bytes.length, at + 1 + random.nextInt(4096)), (byte) 0);
        return bytes;
    }

    private byte[] once(byte[] bytes) {
        return switch (random.nextInt(10)) {
            case 0 -> flipped(bytes);
            case 1 -> Arrays.copyOf(bytes, at(bytes));
            case 2 -> without(bytes);
            case 3 -> doubled(bytes);
            case 4 -> spliced(bytes);
            case 5 -> inserted(bytes, HostileValues.bytes(random));
            case 6 -> random.nextInt(8) == 0 ? inserted(bytes, huge()) : flipped(bytes);
            default -> revalued(bytes); // most often: inputs that are nearly valid reach the most code
        };
    }

    private int at(byte[] bytes) {
        return random.nextInt(bytes.length + 1);
    }

    private byte[] flipped(byte[] bytes) {
        if (bytes.length == 0) return bytes;
        var copy = bytes.clone();
        copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
        return copy;
    }

    private byte[] without(byte[] bytes) {
        int from = at(bytes);
        int to = Math.min(bytes.length, from + 1 + random.nextInt(64));
        return joined(Arrays.copyOf(bytes, from), Arrays.copyOfRange(bytes, to, bytes.length));
    }

    private byte[] doubled(byte[] bytes) {
        int from = at(bytes);
        int to = Math.min(bytes.length, from + 1 + random.nextInt(256));
        return inserted(bytes, Arrays.copyOfRange(bytes, from, to));
    }

    private byte[] spliced(byte[] bytes) {
        var other = sample();
        int from = at(other);
        return joined(Arrays.copyOf(bytes, at(bytes)), Arrays.copyOfRange(other, from, other.length));
    }

    private byte[] inserted(byte[] bytes, byte[] more) {
        int at = at(bytes);
        return joined(Arrays.copyOf(bytes, at), more, Arrays.copyOfRange(bytes, at, bytes.length));
    }

    /** A long line, many empty lines, or deep nesting. */
    private byte[] huge() {
        return switch (random.nextInt(5)) {
            case 0 -> "x".repeat(LONG).getBytes(StandardCharsets.UTF_8);
            case 1 -> "\n".repeat(LONG).getBytes(StandardCharsets.UTF_8);
            case 2 -> "[".repeat(DEEP).getBytes(StandardCharsets.UTF_8);
            case 3 -> "{\"a\":".repeat(DEEP).getBytes(StandardCharsets.UTF_8);
            default -> "9".repeat(LONG).getBytes(StandardCharsets.UTF_8);
        };
    }

    /** Replaces a value after a colon or an equals sign. */
    private byte[] revalued(byte[] bytes) {
        var places = IntStream.range(0, bytes.length)
                .filter(i -> bytes[i] == ':' || bytes[i] == '=')
                .toArray();
        if (places.length == 0) return flipped(bytes);
        int from = places[random.nextInt(places.length)] + 1;
        int to = from;
        while (to < bytes.length && ",}]\n".indexOf(bytes[to]) < 0) to++;
        return joined(
                Arrays.copyOf(bytes, from),
                HostileValues.value(random).getBytes(StandardCharsets.UTF_8),
                Arrays.copyOfRange(bytes, to, bytes.length));
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (var part : parts) all.writeBytes(part);
        return all.toByteArray();
    }
}
