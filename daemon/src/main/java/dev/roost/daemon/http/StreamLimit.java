package dev.roost.daemon.http;

import dev.roost.base.Refusal;
import java.util.HashMap;
import java.util.Map;

/** How many may follow something at once, and how many of them may be one and the same. */
public final class StreamLimit {

    public static final int MOST = 200;
    public static final int MOST_OF_ONE = 50;

    private final int most;
    private final int mostOfOne;
    private final Map<String, Integer> taken = new HashMap<>();
    private int all;

    public StreamLimit(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** To be given back, once. */
    public interface StreamSlot extends AutoCloseable {
        @Override
        void close();
    }

    /** For {@code who}, of whom there may be many who know nothing of each other. */
    public synchronized StreamSlot acquire(String who) {
        if (all >= most) throw limitReached(most, "are open");
        if (taken.getOrDefault(who, 0) >= mostOfOne) throw limitReached(mostOfOne, "of yours are open");
        all++;
        taken.merge(who, 1, Integer::sum);
        return () -> release(who);
    }

    private synchronized void release(String who) {
        all--;
        taken.computeIfPresent(who, (_, n) -> n == 1 ? null : n - 1);
    }

    private static HttpError limitReached(int most, String words) {
        return new HttpError(
                503,
                new Refusal(
                        "too_many_streams",
                        "%d streams %s, which is all there may be.".formatted(most, words),
                        "Close one, or try again later."),
                Map.of("Retry-After", "10"));
    }
}
