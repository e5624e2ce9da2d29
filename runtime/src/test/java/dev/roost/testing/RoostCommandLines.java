package dev.roost.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Command lines that start programs of Roost in a separate JVM: from the launcher's build, as users do, if {@code
 * -Droost.built} names it; otherwise from the test's class path, which takes three times as long.
 */
public final class RoostCommandLines {

    private static final String BUILT = System.getProperty("roost.built", "");
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    private RoostCommandLines() {}

    public static List<String> daemon(String... options) {
        return words("daemon.aot", daemonClassPath(), "dev.roost.daemon.DaemonMain", options);
    }

    public static List<String> cli(String... options) {
        var all = new ArrayList<>(List.of(options));
        cliProperties().forEach((name, value) -> all.add("-D" + name + "=" + value));
        return words(
                "cli.aot", built() ? line(2) : ownClassPath(), "dev.roost.cli.CliMain", all.toArray(new String[0]));
    }

    /** System properties that tell the CLI where the daemon's program is. */
    public static Map<String, String> cliProperties() {
        return built()
                ? Map.of("roost.daemon.classpath", daemonClassPath(), "roost.daemon.aot", line(1) + "/daemon.aot")
                : Map.of();
    }

    public static List<String> bridge(String... options) {
        return words(
                "bridge.aot",
                built() ? line(1) + "/cli.jar" : ownClassPath(),
                "dev.roost.cli.bridge.BridgeMain",
                options);
    }

    public static String daemonClassPath() {
        return built() ? line(3) : ownClassPath();
    }

    /** Writes an executable {@code roost} into the directory, as harnesses and people call it. */
    public static Path roost(Path directory) throws IOException {
        var path = Files.createDirectories(directory).resolve("roost");
        var options = new String[] {
            "-Droost.launcher=" + path,
            "-Droost.jvm=-XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
        };
        Files.writeString(path, """
                #!/bin/sh
                case $1 in
                hook | mcp | socket) exec '%s' "$@" ;;
                *) exec '%s' "$@" ;;
                esac
                """.formatted(String.join("' '", bridge(options)), String.join("' '", cli(options))));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        return path;
    }

    private static List<String> words(String cache, String classPath, String main, String... options) {
        var words = new ArrayList<>(List.of(JAVA.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        if (built()) words.add("-XX:AOTCache=" + line(1) + "/" + cache);
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", classPath, main));
        return words;
    }

    private static boolean built() {
        return !BUILT.isEmpty();
    }

    private static String ownClassPath() {
        return System.getProperty("java.class.path");
    }

    /** A line of the launcher's build file: the JDK, the directory, the class path of the CLI, the class path of the daemon. */
    private static String line(int number) {
        try {
            return Files.readAllLines(Path.of(BUILT)).get(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
