package dev.roost.model;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** {@code r_} and twelve characters: eight encode the time, so that ids sort by age, and four are random. */
public record RunId(String text) implements Comparable<RunId> {

    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final Pattern SHAPE = Pattern.compile("r_[0-9a-z]{12}");
    private static final long EPOCH = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final AtomicLong LAST = new AtomicLong();

    public RunId {
        if (!SHAPE.matcher(text).matches()) throw new IllegalArgumentException("not a run id: " + text);
    }

    /** Parses an id; empty if {@code text} is not one. */
    public static Optional<RunId> parse(String text) {
        return SHAPE.matcher(text).matches() ? Optional.of(new RunId(text)) : Optional.empty();
    }

    /** A new id, greater than every id made before it by this process. */
    public static RunId create(Instant now) {
        long millis = LAST.updateAndGet(last -> Math.max(last + 1, now.toEpochMilli() - EPOCH));
        return new RunId("r_" + encode(millis, 8) + encode(RANDOM.nextInt(1 << 20), 4));
    }

    /** An id for a place instead of a run: always the same for the same place, and sorted before all run ids. */
    public static RunId ofPlace(String place) {
        long hash = 1125899906842597L;
        for (int i = 0; i < place.length(); i++) hash = 31 * hash + place.charAt(i);
        return new RunId("r_0" + encode(hash, 11));
    }

    private static String encode(long value, int width) {
        var text = new char[width];
        for (int i = width - 1; i >= 0; i--, value >>>= 5) text[i] = DIGITS.charAt((int) (value & 31));
        return new String(text);
    }

    @Override
    public int compareTo(RunId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
