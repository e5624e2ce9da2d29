package dev.roost.os;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** Reads /proc. */
final class ProcFs implements Kernel.ProcessScan {

    static {
        Kernel.mustBeLinux(ProcFs.class);
    }

    static final Path PROC = Path.of("/proc");

    private static final int SHORT = 2048;

    /** The content of a file of /proc/sys, read at once: only the first read returns data, so it must be large enough. */
    static String setting(Path file) throws IOException {
        try (var reader = Files.newBufferedReader(file)) {
            return Objects.requireNonNullElse(reader.readLine(), "").strip();
        }
    }

    static Optional<Processes.Row> row(long pid) {
        String stat;
        try {
            stat = readOnce(PROC.resolve(pid + "/stat"));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if ("No such process".equals(e.getMessage())) return Optional.empty(); // ended between open and read
            throw new UncheckedIOException(e);
        }
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        String[] rest = stat.substring(close + 2).split(" ", 21);
        return Optional.of(new Processes.Row(
                new ProcessId(pid, Long.parseLong(rest[19])),
                Long.parseLong(rest[1]),
                Long.parseLong(rest[3]),
                rest[0].charAt(0),
                Long.parseLong(rest[11]) + Long.parseLong(rest[12]),
                Long.parseLong(rest[13]) + Long.parseLong(rest[14]),
                stat.substring(open + 1, close)));
    }

    /** The content of a short file of /proc, by one read. */
    private static String readOnce(Path file) throws IOException {
        try (var channel = Files.newByteChannel(file)) {
            var bytes = ByteBuffer.allocate(SHORT);
            channel.read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    static long[] newestFirst() {
        try (var entries = Files.list(PROC)) {
            var pids = entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .mapToLong(Long::parseLong)
                    .sorted()
                    .toArray();
            for (int i = 0, j = pids.length - 1; i < j; i++, j--) {
                long swapped = pids[i];
                pids[i] = pids[j];
                pids[j] = swapped;
            }
            return pids;
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalStateException("cannot read /proc", e);
        }
    }

    static long outOfMemoryKills() {
        try {
            var all = Files.readString(PROC.resolve("vmstat"), StandardCharsets.ISO_8859_1);
            int at = all.indexOf("\noom_kill ");
            int end = at < 0 ? -1 : all.indexOf('\n', at + 1);
            return end < 0 ? 0 : Long.parseLong(all.substring(at + 10, end).strip());
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public String environment(long pid) {
        return nulSeparated(pid, "environ");
    }

    static String commandLine(long pid) {
        return nulSeparated(pid, "cmdline");
    }

    private static String nulSeparated(long pid, String file) {
        try {
            return "\0" + Files.readString(PROC.resolve(pid + "/" + file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    static boolean isJava(long pid) {
        try {
            var program = Files.readSymbolicLink(PROC.resolve(pid + "/exe"));
            return program.endsWith("jspawnhelper") || program.equals(Files.readSymbolicLink(PROC.resolve("self/exe")));
        } catch (IOException e) {
            return false; // ended
        }
    }

    @Override
    public boolean writesInto(long pid, Path directory) {
        try (var open = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (var descriptor : open) if (writesInto(pid, descriptor, directory)) return true;
        } catch (IOException | DirectoryIteratorException e) {
            // ended, or a process of another user
        }
        return false;
    }

    private static boolean writesInto(long pid, Path descriptor, Path directory) {
        try {
            if (!Files.readSymbolicLink(descriptor).startsWith(directory)) return false;
            String info = Files.readString(PROC.resolve(pid + "/fdinfo/" + descriptor.getFileName()));
            return info.lines()
                    .anyMatch(line -> line.startsWith("flags:")
                            && (Long.parseLong(line.substring(6).strip(), 8) & 3) != 0);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    static OpenFiles openFiles() {
        var all = new OpenFiles();
        try (var processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var process : processes) note(all, process);
        } catch (IOException | DirectoryIteratorException e) {
            throw new UncheckedIOException("/proc cannot be read", new IOException(e));
        }
        return all;
    }

    private static void note(OpenFiles all, Path process) {
        long pid = Long.parseLong(process.getFileName().toString());
        link(process.resolve("cwd")).ifPresent(path -> all.isIn(path, pid));
        try (var files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (var file : files) link(file).ifPresent(path -> all.holds(path, pid));
        } catch (IOException | DirectoryIteratorException e) {
            // a process of another user, or ended meanwhile
        }
    }

    private static Optional<Path> link(Path link) {
        try {
            return Optional.of(Files.readSymbolicLink(link)).filter(Path::isAbsolute);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
