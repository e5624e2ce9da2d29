package dev.roost.rescue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who is there: which processes have which files open, and where they are. Where there is no /proc, nobody is known to be. */
final class Alive {

    private static final Path PROC = Path.of("/proc");

    private final Map<Path, List<Long>> holders = new HashMap<>();
    private final Map<Path, List<Long>> places = new HashMap<>();

    private Alive() {}

    static Alive look() {
        var alive = new Alive();
        if (!Files.isDirectory(PROC)) return alive;
        try (var processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var process : processes) alive.note(process);
        } catch (IOException | DirectoryIteratorException e) {
            throw new UncheckedIOException("/proc cannot be read", new IOException(e));
        }
        return alive;
    }

    private void note(Path process) {
        long pid = Long.parseLong(process.getFileName().toString());
        link(process.resolve("cwd")).ifPresent(path -> add(places, path, pid));
        try (var files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (var file : files) link(file).ifPresent(path -> add(holders, path, pid));
        } catch (IOException | DirectoryIteratorException e) {
            // somebody else's, or gone meanwhile
        }
    }

    private static void add(Map<Path, List<Long>> map, Path path, long pid) {
        var pids = map.computeIfAbsent(path, _ -> new ArrayList<>());
        if (!pids.contains(pid)) pids.add(pid);
    }

    private static Optional<Path> link(Path link) {
        try {
            return Optional.of(Files.readSymbolicLink(link)).filter(Path::isAbsolute);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** A process that has the file open, and had begun by then. */
    Optional<Long> holds(Path file, Instant by) {
        return holders.getOrDefault(real(file), List.of()).stream()
                .filter(pid -> beganBy(pid, by))
                .findFirst();
    }

    /** A process whose working directory is this one or below it. */
    Optional<Long> isIn(Path directory) {
        var place = real(directory);
        return places.entrySet().stream()
                .filter(one -> one.getKey().startsWith(place))
                .flatMap(one -> one.getValue().stream())
                .findFirst();
    }

    /** A process of that program in exactly this directory, that had begun by then. */
    Optional<Long> runs(String program, Path directory, Instant by) {
        return places.getOrDefault(real(directory), List.of()).stream()
                .filter(pid -> words(pid).contains(program) && beganBy(pid, by))
                .findFirst();
    }

    /** Whether that very process is still there; its start is in clock ticks since the machine booted. */
    static boolean is(long pid, String start) {
        try {
            var stat = Files.readString(PROC.resolve(Long.toString(pid), "stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields.length > 19 && fields[19].equals(start) && !fields[0].equals("Z");
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean beganBy(long pid, Instant by) {
        return ProcessHandle.of(pid)
                .map(process -> process.info()
                        .startInstant()
                        .map(start -> !start.isAfter(by))
                        .orElse(true))
                .orElse(false);
    }

    private static String words(long pid) {
        try {
            return Files.readString(
                    PROC.resolve(Long.toString(pid), "cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }
}
