package dev.roost.bench.report;

import java.util.List;
import java.util.logging.Logger;

/** Silences loggers. Keeps references to them, because the log manager refers to them only weakly. */
public final class NoisyLoggers {

    public static final List<Logger> LOGGERS = List.of(
            Logger.getLogger("org.flywaydb"),
            Logger.getLogger("com.github.kagkarlsson"),
            Logger.getLogger("com.zaxxer"));

    private NoisyLoggers() {}
}
