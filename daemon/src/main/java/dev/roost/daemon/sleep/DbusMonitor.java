package dev.roost.daemon.sleep;

import java.nio.file.Path;
import java.util.List;

/** Where there is no gdbus. A signal takes two lines: what it is, and then what it says. */
final class DbusMonitor implements SleepSignalSource {

    private static final String HEAD = "; interface=%s; member=%s".formatted(INTERFACE, SIGNAL);
    private static final String RULE = "type='signal',sender='%s',path='%s',interface='%s',member='%s'"
            .formatted(LOGIND, OBJECT, INTERFACE, SIGNAL);

    private final Path monitor;
    private final Path send;
    private boolean headed;

    DbusMonitor(Path monitor, Path send) {
        this.monitor = monitor;
        this.send = send;
    }

    @Override
    public List<String> listening() {
        return List.of(monitor.toString(), "--system", RULE);
    }

    @Override
    public List<String> askingForLimit() {
        return List.of(
                send.toString(),
                "--system",
                "--print-reply",
                "--reply-timeout=5000",
                "--dest=" + LOGIND,
                OBJECT,
                "org.freedesktop.DBus.Properties.Get",
                "string:" + INTERFACE,
                "string:" + LIMIT);
    }

    @Override
    public SleepSignal hear(String line) {
        boolean says = headed;
        headed = line.startsWith("signal ") && line.endsWith(HEAD);
        if (says && line.equals("   boolean true")) return SleepSignal.SLEEPS;
        if (says && line.equals("   boolean false")) return SleepSignal.AWAKE;
        // the bus greets it by its name, which is printed only once the rule above is set
        return line.startsWith("signal ") && line.endsWith("; member=NameAcquired")
                ? SleepSignal.LISTENING
                : SleepSignal.NOTHING;
    }
}
