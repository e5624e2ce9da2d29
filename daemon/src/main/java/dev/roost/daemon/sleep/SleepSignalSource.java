package dev.roost.daemon.sleep;

import dev.roost.agents.Programs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A program that hears what logind says on the system bus. */
interface SleepSignalSource {

    String LOGIND = "org.freedesktop.login1";
    String OBJECT = "/org/freedesktop/login1";
    String INTERFACE = "org.freedesktop.login1.Manager";
    String SIGNAL = "PrepareForSleep";
    String LIMIT = "InhibitDelayMaxUSec";

    /** Runs for as long as there is a bus, and prints what it hears. */
    List<String> listening();

    /** Prints how long logind waits for those who hold the sleep up; fails where there is no logind. */
    List<String> askingForLimit();

    /** The lines are to be given in their order. */
    SleepSignal hear(String line);

    static Optional<SleepSignalSource> find(Map<String, String> environment) {
        var root = Path.of("/");
        return Programs.find("gdbus", root, environment)
                .<SleepSignalSource>map(Gdbus::new)
                .or(() -> Programs.find("dbus-monitor", root, environment)
                        .flatMap(monitor -> Programs.find("dbus-send", root, environment)
                                .map(send -> new DbusMonitor(monitor, send))));
    }
}
