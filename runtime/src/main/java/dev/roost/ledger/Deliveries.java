package dev.roost.ledger;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What goes out beside the sessions: each notice once by each channel, tried until it arrived or was given up. */
public interface Deliveries {

    /** From now on, each notice that is not to be silent goes out by these; the notice and its deliveries are one write. */
    void by(Set<String> channels);

    /** What has neither arrived by this channel nor been given up, the first due first. */
    List<Delivery> open(String channel, int most);

    /** To be asked before it is sent: false if another node sends it by now, in place of one that is away, or it is over. */
    boolean claim(Delivery delivery);

    /** It has arrived; false if that is old news. */
    boolean arrived(Delivery delivery);

    /** It did not arrive, and is tried again at {@code next}, or never; false if that is old news. */
    boolean failed(Delivery delivery, String why, Optional<Instant> next);
}
