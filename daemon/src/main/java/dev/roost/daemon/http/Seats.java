package dev.roost.daemon.http;

import dev.roost.run.Refused;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** How many may follow something at once. */
final class Seats {

    static final int MOST = 200;

    private final Semaphore free;

    Seats(int most) {
        this.free = new Semaphore(most);
    }

    /** To be given back. */
    interface Seat extends AutoCloseable {
        @Override
        void close();
    }

    Seat take() {
        if (free.tryAcquire()) return free::release;
        throw new Rejected(
                503,
                new Refused(
                        "too_many_streams",
                        "%d streams are open, which is all there may be.".formatted(MOST),
                        "Close one, or try again later."),
                Map.of("Retry-After", "10"));
    }
}
