package dev.roost.daemon.telemetry;

import dev.roost.ledger.record.LedgerMetrics;
import dev.roost.service.RoostService;
import java.nio.file.Path;

/** Exports telemetry. The interface is separate, so the exporter's classes are loaded only where an export is configured. */
public interface Exporter extends LedgerMetrics, AutoCloseable {

    /** Starts the export. Events from before this call are exported too. */
    void start(RoostService service, Path home, String version);

    @Override
    void close();
}
