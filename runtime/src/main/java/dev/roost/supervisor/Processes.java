package dev.roost.supervisor;

import dev.roost.run.ProcessId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What /proc says. */
public final class Processes {

    private static final Path PROC = Path.of("/proc");
    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash", "zsh", "ksh", "ash", "busybox", "fish");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final int SHORT = 2048;

    private Processes() {}

    record Row(ProcessId id, long parent, long session, char state, long cpuTicks, String command) {}

    /** A new one at every boot of the machine. */
    public static String bootId() {
        return ThisBoot.ID;
    }

    /** No process lives through a boot. */
    private static final class ThisBoot {
        static final String ID = read();

        private static String read() {
            try {
                return setting(BOOT_ID);
            } catch (IOException e) {
                throw new IllegalStateException("this machine does not tell its boot id", e);
            }
        }
    }

    /** Ends this very process as {@code kill -9} does. */
    static void killSelf() {
        long own = ProcessHandle.current().pid();
        if (Native.LINUX && Native.pidfdSendSignal(Native.pidfdOpen(own), Native.SIGKILL) >= 0) return;
        try {
            new ProcessBuilder("sh", "-c", "kill -9 " + own).start(); // not every machine has a program for it
        } catch (IOException e) {
            Runtime.getRuntime().halt(137); // the next best: no hook of ours runs either
        }
    }

    /** What a file of /proc/sys says: only a first read that is large enough gets all of it. */
    static String setting(Path file) throws IOException {
        try (var reader = Files.newBufferedReader(file)) {
            return Objects.requireNonNullElse(reader.readLine(), "").strip();
        }
    }

    /** Whether exactly this process, not another with its pid, is there and no zombie. */
    public static boolean alive(ProcessId id) {
        return row(id.pid())
                .filter(row -> row.id.equals(id) && row.state != 'Z' && row.state != 'X')
                .isPresent();
    }

    /** Empty only if there is no such process: that we could not look does not mean that it is dead. */
    static Optional<Row> row(long pid) {
        String stat;
        try {
            stat = atOnce(PROC.resolve(pid + "/stat"));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if ("No such process".equals(e.getMessage())) return Optional.empty(); // gone between the look and the read
            throw new UncheckedIOException(e);
        }
        int open = stat.indexOf('(');
        int close = stat.lastIndexOf(')');
        String[] rest = stat.substring(close + 2).split(" ", 21);
        return Optional.of(new Row(
                new ProcessId(pid, Long.parseLong(rest[19])),
                Long.parseLong(rest[1]),
                Long.parseLong(rest[3]),
                rest[0].charAt(0),
                Long.parseLong(rest[11]) + Long.parseLong(rest[12]),
                stat.substring(open + 1, close)));
    }

    /** What a short file of /proc says, by one read. */
    private static String atOnce(Path file) throws IOException {
        try (var channel = Files.newByteChannel(file)) {
            var bytes = ByteBuffer.allocate(SHORT);
            channel.read(bytes);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Who has started the process with this pid: its nearest ancestor that is no shell. */
    public static Optional<ProcessId> starter(long pid) {
        var at = row(pid).flatMap(row -> row(row.parent()));
        for (int depth = 0; at.isPresent() && SHELLS.contains(at.get().command()) && depth < 10; depth++) {
            at = row(at.get().parent());
        }
        return at.map(Row::id).filter(id -> id.pid() > 1);
    }

    /** The process itself, its parent, and so on. */
    public static List<ProcessId> ancestors(long pid) {
        var ancestors = new ArrayList<ProcessId>();
        for (var at = row(pid); at.isPresent() && at.get().id().pid() > 1 && ancestors.size() < 100; ) {
            ancestors.add(at.get().id());
            at = row(at.get().parent());
        }
        return ancestors;
    }

    static List<Row> all() {
        var rows = new ArrayList<Row>();
        for (long pid : newestFirst()) row(pid).ifPresent(rows::add);
        return rows;
    }

    /** One that lives for a moment only, to leave another behind, is gone before the old ones have been looked at. */
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

    /** How much processor time these have used, in hundredths of a second. */
    public static long cpuTicks(Collection<ProcessId> processes) {
        return processes.stream()
                .flatMap(id -> row(id.pid()).filter(row -> row.id.equals(id)).stream())
                .mapToLong(Row::cpuTicks)
                .sum();
    }

    /** How many processes the kernel has killed for want of memory since it started; 0 where it does not say. */
    public static long outOfMemoryKills() {
        try {
            var all = Files.readString(PROC.resolve("vmstat"), StandardCharsets.ISO_8859_1);
            int at = all.indexOf("\noom_kill ");
            int end = at < 0 ? -1 : all.indexOf('\n', at + 1);
            return end < 0 ? 0 : Long.parseLong(all.substring(at + 10, end).strip());
        } catch (IOException e) {
            return 0;
        }
    }

    /** The environment a process was started with; empty where it is not ours to read. */
    static String environment(long pid) {
        try {
            return "\0" + Files.readString(PROC.resolve(pid + "/environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** The words it was started with, each between NULs; empty where it is gone, or not ours to read. */
    static String commandLine(long pid) {
        try {
            return "\0" + Files.readString(PROC.resolve(pid + "/cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Its command line, for a person; the bare name where that is hidden. */
    public static String describe(ProcessId id) {
        String line = "";
        try {
            line = Files.readString(PROC.resolve(id.pid() + "/cmdline"), StandardCharsets.UTF_8)
                    .replace('\0', ' ')
                    .strip();
        } catch (IOException e) {
            // gone, or hidden
        }
        if (line.isEmpty()) line = row(id.pid()).map(Row::command).orElse("(gone)");
        return id.pid() + " " + (line.length() > 120 ? line.substring(0, 120) + "…" : line);
    }

    /** Java itself, or what it starts its children with. */
    static boolean isJava(long pid) {
        try {
            var program = Files.readSymbolicLink(PROC.resolve(pid + "/exe"));
            return program.endsWith("jspawnhelper") || program.equals(Files.readSymbolicLink(PROC.resolve("self/exe")));
        } catch (IOException e) {
            return false; // gone
        }
    }

    /** Whether the process writes to a file in {@code directory}: then it belongs to that attempt, whatever else it hides. */
    static boolean writesInto(long pid, Path directory) {
        try (var open = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
            for (var descriptor : open) if (writesInto(pid, descriptor, directory)) return true;
        } catch (IOException | DirectoryIteratorException e) {
            // gone, or not ours to look at
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
}
