package dev.roost.daemon;

import dev.roost.supervisor.Home;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** {@code logs/daemon.0.log}, and older ones with higher numbers: five files of 5 MiB at most. */
final class DaemonLog {

    private static final int FILE_BYTES = 5 << 20;
    private static final int FILES = 5;

    private DaemonLog() {}

    static void open(Home home) throws IOException {
        var root = Logger.getLogger("");
        for (var handler : root.getHandlers()) root.removeHandler(handler);
        var directory = home.logs().toString().replace("%", "%%"); // in a pattern, % has a meaning
        var file = new FileHandler(directory + "/daemon.%g.log", FILE_BYTES, FILES, true);
        file.setFormatter(new OneLine());
        file.setEncoding("UTF-8");
        root.addHandler(file);
        root.setLevel(Level.INFO);
        Logger.getLogger("org.flywaydb").setLevel(Level.WARNING);
    }

    private static final class OneLine extends Formatter {
        @Override
        public String format(LogRecord record) {
            var line = new StringBuilder(record.getInstant().toString())
                    .append(' ')
                    .append(record.getLevel())
                    .append(' ')
                    .append(formatMessage(record))
                    .append('\n');
            if (record.getThrown() != null) {
                var trace = new StringWriter();
                record.getThrown().printStackTrace(new PrintWriter(trace));
                line.append(trace);
            }
            return line.toString();
        }
    }
}
