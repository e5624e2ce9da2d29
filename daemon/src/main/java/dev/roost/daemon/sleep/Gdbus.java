package dev.roost.daemon.sleep;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Uses gdbus of GLib. It prints only signals of the process that holds logind's name, so no other can fake a sleep. */
record Gdbus(Path program) implements SleepSignalSource {

    private static final Pattern OWNED = Pattern.compile(Pattern.quote("The name " + LOGIND + " is owned by ") + ".*");
    private static final Pattern SIGNAL_LINE = Pattern.compile(
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
    public SleepSignal parse(String line) {
        if (OWNED.matcher(line).matches()) return SleepSignal.LISTENING;
        var signal = SIGNAL_LINE.matcher(line);
        if (!signal.matches()) return SleepSignal.NOTHING;
        return signal.group("begins").equals("true") ? SleepSignal.SLEEPS : SleepSignal.AWAKE;
    }
}
