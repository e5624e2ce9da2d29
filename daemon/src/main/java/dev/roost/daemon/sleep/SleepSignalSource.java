package dev.roost.daemon.sleep;

import dev.roost.agents.Programs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A program that prints the signals of logind on the system bus. */
interface SleepSignalSource {

    /** The meaning of a line that the listener printed. */
    enum SleepSignal {
        /** The listener is subscribed: no later signal is missed. */
        LISTENING,
        SLEEPS,
        AWAKE,
        NOTHING
    }

    String LOGIND = "org.freedesktop.login1";
    String OBJECT = "/org/freedesktop/login1";
    String INTERFACE = "org.freedesktop.login1.Manager";
    String SIGNAL = "PrepareForSleep";
    String LIMIT = "InhibitDelayMaxUSec";

    /** The command that prints signals for as long as there is a bus. */
    List<String> listening();

    /** The command that prints how long logind waits for delay locks; it fails where there is no logind. */
    List<String> askingForLimit();

    /** Parses a line of the listener. Pass all lines, in their order. */
    SleepSignal parse(String line);

    static Optional<SleepSignalSource> find(Map<String, String> environment) {
        var root = Path.of("/");
        return Programs.find("gdbus", root, environment)
                .<SleepSignalSource>map(Gdbus::new)
                .or(() -> Programs.find("dbus-monitor", root, environment)
                        .flatMap(monitor -> Programs.find("dbus-send", root, environment)
                                .map(send -> new DbusMonitor(monitor, send))));
    }
}
