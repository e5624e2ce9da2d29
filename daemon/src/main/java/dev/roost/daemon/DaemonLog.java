package dev.roost.daemon;

import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.LogFormat;
import dev.roost.home.Home;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/**
 * Writes {@code logs/daemon.0.log}; older files have higher numbers. At most five files of 5 MiB are kept. Libraries write
 * only warnings and errors; {@code slf4j-jdk14} brings those of the libraries that use SLF4J.
 */
final class DaemonLog {

    /** Held here, because the log manager holds loggers only weakly, and a collected logger loses its level. */
    private static final Logger ROOST = Logger.getLogger("dev.roost");

    private static final int FILE_BYTES = 5 << 20;
    private static final int FILES = 5;

    private DaemonLog() {}

    static void open(Home home, LogFormat format) throws IOException {
        var root = Logger.getLogger("");
        for (var handler : root.getHandlers()) root.removeHandler(handler);
        var directory = home.logs().toString().replace("%", "%%"); // FileHandler expands % in its pattern
        var file = new FileHandler(directory + "/daemon.%g.log", FILE_BYTES, FILES, true);
        file.setFormatter(format == LogFormat.JSON ? new JsonLine() : new OneLine());
        file.setEncoding("UTF-8");
        file.setFilter(new LibraryLogFilter());
        root.addHandler(file);
        root.setLevel(Level.WARNING);
        ROOST.setLevel(Level.INFO);
    }

    /** Writes one JSON object a line. If the message names a run, its id is also in the field {@code run_id}. */
    private static final class JsonLine extends Formatter {

        private static final Pattern RUN = Pattern.compile("\\br_[0-9a-z]{12}\\b");

        @Override
        public String format(LogRecord record) {
            var message = formatMessage(record);
            var json = RunJson.MAPPER
                    .createObjectNode()
                    .put("at", record.getInstant().toString())
                    .put("level", record.getLevel().getName())
                    .put("logger", record.getLoggerName())
                    .put("message", message);
            var run = RUN.matcher(message);
            if (run.find()) json.put("run_id", run.group());
            if (record.getThrown() != null) json.put("error", trace(record.getThrown()));
            return json + "\n";
        }
    }

    private static String trace(Throwable thrown) {
        var trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    private static final class OneLine extends Formatter {
        @Override
        public String format(LogRecord record) {
            var line = new StringBuilder(record.getInstant().toString())
                    .append(' ')
                    .append(record.getLevel())
                    .append(' ')
                    .append(LibraryLogFilter.isLibrary(record) ? record.getLoggerName() + ": " : "")
                    .append(formatMessage(record))
                    .append('\n');
            if (record.getThrown() != null) line.append(trace(record.getThrown()));
            return line.toString();
        }
    }
}
