package dev.roost.service.testing;

import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.home.Home;
import dev.roost.service.RoostService;
import java.io.IOException;

/** How a home is opened, again and again on the same ledger. */
public interface RoostOpener {
    RoostService open(Home home, EngineConfig config, Clock clock);

    /** All runs have ended: what else is to be true then, on this ledger. */
    default void over(Home home) throws IOException {}
}
