package dev.roost.bench;

import java.util.List;
import java.util.logging.Logger;

/** Loggers that would speak between the figures; held here, because their manager holds them only weakly. */
final class Quiet {

    static final List<Logger> LOGGERS = List.of(
            Logger.getLogger("org.flywaydb"),
            Logger.getLogger("com.github.kagkarlsson"),
            Logger.getLogger("com.zaxxer"));

    private Quiet() {}
}
