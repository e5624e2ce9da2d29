package dev.roost;

import dev.roost.run.Clock;
import dev.roost.supervisor.Home;

/** How a home is opened, again and again on the same ledger. */
public interface Opening {
    Roost open(Home home, Config config, Clock clock);
}
