package dev.roost.daemon.http;

import dev.roost.base.ErrorCode;
import java.util.HashMap;
import java.util.Map;

/** Limits the number of open streams, in all and for one principal. */
public final class StreamLimit {

    public static final int MOST = 200;
    public static final int MOST_OF_ONE = 50;

    private final int most;
    private final int mostOfOne;
    private final Map<String, Integer> open = new HashMap<>();
    private int all;

    public StreamLimit(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** A slot for a stream; close it once. */
    public interface StreamSlot extends AutoCloseable {
        @Override
        void close();
    }

    /** Takes a slot for this principal. Several clients may share one. */
    public synchronized StreamSlot acquire(String principal) {
        if (all >= most) throw limitReached(most, "are open");
        if (open.getOrDefault(principal, 0) >= mostOfOne) throw limitReached(mostOfOne, "of yours are open");
        all++;
        open.merge(principal, 1, Integer::sum);
        return () -> release(principal);
    }

    private synchronized void release(String principal) {
        all--;
        open.computeIfPresent(principal, (_, n) -> n == 1 ? null : n - 1);
    }

    private static HttpError limitReached(int most, String words) {
        return new HttpError(
                ErrorCode.TOO_MANY_STREAMS.error("%d streams %s, which is the limit.".formatted(most, words)),
                Map.of("Retry-After", "10"));
    }
}
