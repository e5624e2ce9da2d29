package dev.roost.daemon.sleep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The system bus of an environment, and the start of programs that use it. */
record SystemBus(Map<String, String> environment) {

    private static final Pattern A_SOCKET = Pattern.compile("unix:path=(?<path>[^,;%]+)(,guid=[0-9a-f]+)?");
    private static final List<Path> USUAL =
            List.of(Path.of("/run/dbus/system_bus_socket"), Path.of("/var/run/dbus/system_bus_socket"));

    /** False only if there is certainly no bus. Addresses that are no plain socket path count as present. */
    boolean mayBeThere() {
        var address = environment.get("DBUS_SYSTEM_BUS_ADDRESS");
        if (address == null) return USUAL.stream().anyMatch(Files::exists);
        var socket = A_SOCKET.matcher(address);
        return !socket.matches() || Files.exists(Path.of(socket.group("path")));
    }

    Process start(List<String> words) throws IOException {
        var builder = new ProcessBuilder(words).directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_"));
        builder.environment().put("LC_ALL", "C"); // its output is parsed
        return builder.start();
    }
}
