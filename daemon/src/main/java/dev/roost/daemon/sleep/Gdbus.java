package dev.roost.daemon.sleep;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** GLib's own. It passes on only what the holder of logind's name has sent, so nobody else on the bus can send us to sleep. */
record Gdbus(Path program) implements SleepSignalSource {

    private static final Pattern OWNED = Pattern.compile(Pattern.quote("The name " + LOGIND + " is owned by ") + ".*");
    private static final Pattern SAID = Pattern.compile(
            Pattern.quote("%s: %s.%s ".formatted(OBJECT, INTERFACE, SIGNAL)) + "\\((?<begins>true|false),\\)");

    @Override
    public List<String> listening() {
        return List.of(program.toString(), "monitor", "--system", "--dest", LOGIND, "--object-path", OBJECT);
    }

    @Override
    public List<String> askingForLimit() {
        return List.of(
                program.toString(),
                "call",
                "--system",
                "--timeout",
                "5",
                "--dest",
                LOGIND,
                "--object-path",
                OBJECT,
                "--method",
                "org.freedesktop.DBus.Properties.Get",
                INTERFACE,
                LIMIT);
    }

    @Override
    public SleepSignal hear(String line) {
        if (OWNED.matcher(line).matches()) return SleepSignal.LISTENING;
        var said = SAID.matcher(line);
        if (!said.matches()) return SleepSignal.NOTHING;
        return said.group("begins").equals("true") ? SleepSignal.SLEEPS : SleepSignal.AWAKE;
    }
}
