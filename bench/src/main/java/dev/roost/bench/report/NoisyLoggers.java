package dev.roost.bench.report;

import java.util.List;
import java.util.logging.Logger;

/** Loggers that would speak between the figures; held here, because their manager holds them only weakly. */
public final class NoisyLoggers {

    public static final List<Logger> LOGGERS = List.of(
            Logger.getLogger("org.flywaydb"),
            Logger.getLogger("com.github.kagkarlsson"),
            Logger.getLogger("com.zaxxer"));

    private NoisyLoggers() {}
}
