package dev.roost.service.testing;

import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.home.Home;
import dev.roost.service.RoostService;
import java.io.IOException;

/** Opens a home, repeatedly on the same ledger. */
public interface RoostOpener {
    RoostService open(Home home, EngineConfig config, Clock clock);

    /** Checks the ledger after all runs have ended. */
    default void over(Home home) throws IOException {}
}
