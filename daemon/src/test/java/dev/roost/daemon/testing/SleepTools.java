package dev.roost.daemon.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/** A PATH with a machine's programs, and an inhibitor that records its calls. */
public record SleepTools(Path directory) {

    public static final List<String> GDBUS = List.of("gdbus");
    public static final List<String> DBUS_MONITOR = List.of("dbus-monitor", "dbus-send");

    private static final String INHIBITOR = """
            #!/bin/sh
            while [ "${1#--}" != "$1" ]; do shift; done
            echo taken >>"$0.record"
            "$@"
            echo released >>"$0.record"
            """;

    public static SleepTools in(Path directory, List<String> programs) throws IOException {
        Files.createDirectories(directory);
        for (var program : programs) link(directory, program);
        link(directory, "cat");
        var tools = new SleepTools(directory);
        tools.script("systemd-inhibit", INHIBITOR);
        return tools;
    }

    private static void link(Path directory, String program) throws IOException {
        var real = Path.of("/usr/bin", program);
        if (!Files.isExecutable(real)) throw new IOException("this test needs " + real);
        Files.createSymbolicLink(directory.resolve(program), real);
    }

    public Path script(String name, String text) throws IOException {
        var file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A hook that records its name and ends when the file {@code NAME.go} exists. */
    public List<String> gated(String name) throws IOException {
        return List.of(script(name, """
                #!/bin/sh
                echo "%1$s begins" >>"${0%%/*}/systemd-inhibit.record"
                until [ -e "$0.go" ]; do sleep 0.02; done
                echo "%1$s ends" >>"${0%%/*}/systemd-inhibit.record"
                """.formatted(name)).toString());
    }

    public void open(String name) throws IOException {
        Files.createFile(directory.resolve(name + ".go"));
    }

    public List<String> record() throws IOException {
        var file = directory.resolve("systemd-inhibit.record");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    public Map<String, String> environment(String bus) {
        return Map.of("PATH", directory.toString(), "DBUS_SYSTEM_BUS_ADDRESS", bus);
    }
}
