package dev.roost.daemon.telemetry;

import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.service.RoostService;
import java.nio.file.Path;

/** Somebody who carries what happens out of the house. Apart from who does, so that nothing of it is loaded where nobody does. */
public interface Exporter extends LedgerMetrics, AutoCloseable {

    /** From now on it may read; what happened before this is told too. */
    void start(RoostService service, Path home, String version);

    @Override
    void close();
}
