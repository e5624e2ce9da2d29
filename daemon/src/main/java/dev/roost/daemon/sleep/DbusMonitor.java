package dev.roost.daemon.sleep;

import java.nio.file.Path;
import java.util.List;

/** Uses dbus-monitor, where there is no gdbus. A signal takes two lines: its name, and then its value. */
final class DbusMonitor implements SleepSignalSource {

    private static final String HEAD = "; interface=%s; member=%s".formatted(INTERFACE, SIGNAL);
    private static final String RULE = "type='signal',sender='%s',path='%s',interface='%s',member='%s'"
            .formatted(LOGIND, OBJECT, INTERFACE, SIGNAL);

    private final Path monitor;
    private final Path send;
    private boolean lastWasHead;

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
    public SleepSignal parse(String line) {
        boolean afterHead = lastWasHead;
        lastWasHead = line.startsWith("signal ") && line.endsWith(HEAD);
        if (afterHead && line.equals("   boolean true")) return SleepSignal.SLEEPS;
        if (afterHead && line.equals("   boolean false")) return SleepSignal.AWAKE;
        // the bus sends the monitor its name, and this is printed only after the rule above is set
        return line.startsWith("signal ") && line.endsWith("; member=NameAcquired")
                ? SleepSignal.LISTENING
                : SleepSignal.NOTHING;
    }
}
