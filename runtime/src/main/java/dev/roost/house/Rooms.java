package dev.roost.house;

import dev.roost.ledger.Ledger;
import dev.roost.run.Clock;
import dev.roost.run.Faults;
import dev.roost.supervisor.Exits;
import dev.roost.supervisor.Fence;
import dev.roost.supervisor.FileEvents;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.Perches;

/** What an attempt needs around it. */
record Rooms(
        Home home,
        Config config,
        Clock clock,
        Ledger ledger,
        Perches perches,
        Exits exits,
        FileEvents files,
        Changes changes,
        Keeping keeping,
        Porter porter,
        Peers peers) {

    Faults faults() {
        return config.faults();
    }

    /** For what is here and is another node's. */
    Fence fence() {
        return new Fence(home, perches, clock);
    }
}
