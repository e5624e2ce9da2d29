package dev.roost.house;

import dev.roost.run.Clock;
import dev.roost.supervisor.Home;
import java.io.IOException;

/** How a home is opened, again and again on the same ledger. */
public interface Opening {
    House open(Home home, Config config, Clock clock);

    /** All runs have ended: what else is to be true then, on this ledger. */
    default void over(Home home) throws IOException {}
}
