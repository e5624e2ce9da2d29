package dev.roost.daemon.meters;

import dev.roost.house.House;
import dev.roost.ledger.Meters;
import java.nio.file.Path;

/** Somebody who carries what happens out of the house. Apart from who does, so that nothing of it is loaded where nobody does. */
public interface Exporter extends Meters, AutoCloseable {

    /** From now on it may read; what happened before this is told too. */
    void start(House house, Path home, String version);

    @Override
    void close();
}
