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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/** The Linux half: /proc, pidfd and epoll, inotify, cgroups. */
final class LinuxKernel implements Kernel, Kernel.ProcessScan {

    static {
        Kernel.mustBeLinux(LinuxKernel.class);
    }

    private static final Path PROC = Path.of("/proc");
    private static final int SHORT = 2048;
    /** It does not change while this process lives. */
    private static final String BOOT_ID = readBootId();

    @Override
    public String script() {
        return "linux.sh";
    }

    /** The content of a file of /proc/sys, read at once: only the first read returns data, so it must be large enough. */
    static String setting(Path file) throws IOException {
        try (var reader = Files.newBufferedReader(file)) {
            return Objects.requireNonNullElse(reader.readLine(), "").strip();
        }
    }

    private static String readBootId() {
        try {
            return setting(Path.of("/proc/sys/kernel/random/boot_id"));
        } catch (IOException e) {
            throw new IllegalStateException("the boot id of this machine cannot be read", e);
        }
    }

    @Override
    public String bootId() {
        return BOOT_ID;
    }

    @Override
    public Optional<Processes.Row> row(long pid) {
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

    @Override
    public boolean alive(ProcessId id) {
        return row(id.pid())
                .filter(row -> row.id().equals(id) && row.state() != 'Z' && row.state() != 'X')
                .isPresent();
    }

    @Override
    public long[] newestFirst() {
        try (var entries = Files.list(PROC)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .map(Long::valueOf)
                    .sorted(Comparator.reverseOrder())
                    .mapToLong(Long::longValue)
                    .toArray();
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalStateException("cannot read /proc", e);
        }
    }

    @Override
    public ProcessScan scanProcesses() {
        return this;
    }

    @Override
    public String environment(long pid) {
        return nulSeparated(pid, "environ");
    }

    @Override
    public String commandLine(long pid) {
        return nulSeparated(pid, "cmdline");
    }

    private static String nulSeparated(long pid, String file) {
        try {
            return "\0" + Files.readString(PROC.resolve(pid + "/" + file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public boolean isJava(long pid) {
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

    @Override
    public boolean isStopped(long pid) {
        return row(pid).filter(row -> row.state() == 'T').isPresent();
    }

    /** Signals by pidfd, and checks the identity after opening it: a reused pid never gets the signal. */
    @Override
    public void signal(ProcessId id, Signal signal) {
        int pidfd = LinuxSyscalls.pidfdOpen(id.pid());
        if (pidfd >= 0) {
            if (Processes.alive(id)) LinuxSyscalls.pidfdSendSignal(pidfd, signal.number);
            LinuxSyscalls.close(pidfd);
        } else if (pidfd != -LinuxSyscalls.ESRCH && Processes.alive(id)) {
            Libc.kill(id.pid(), signal.number); // an old kernel has no pidfds
        }
    }

    @Override
    public long outOfMemoryKills() {
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
    public ExitWatcher exits() {
        return LinuxSyscalls.hasPidfd() ? new PidfdExitWatcher(LinuxSyscalls.epollCreate()) : new PollingExitWatcher();
    }

    @Override
    public FileWatcher files() {
        return new InotifyWatcher();
    }

    @Override
    public boolean hasCgroups() {
        return true;
    }

    @Override
    public boolean spawns() {
        return ProcessSpawner.WORKS;
    }

    @Override
    public void inOwnSession(ProcessBuilder builder) {
        var words = new ArrayList<>(builder.command());
        words.addFirst("setsid");
        builder.command(words);
    }

    @Override
    public long monotonicNanos() {
        return LinuxSyscalls.monotonicNanos();
    }

    @Override
    public long sleptNanos() {
        return Math.max(0, LinuxSyscalls.boottimeNanos() - LinuxSyscalls.monotonicNanos());
    }

    @Override
    public long hundredthsSinceBoot() throws IOException {
        var seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
        return Long.parseLong(seconds.replace(".", ""));
    }

    @Override
    public long openFilesLimit() {
        try {
            for (var line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (!line.startsWith("Max open files")) continue;
                var soft = line.substring(14).strip().split("\\s+", 2)[0];
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        } catch (IOException e) {
            // unknown
        }
        return Long.MAX_VALUE;
    }

    @Override
    public long openFiles() {
        var fds = Path.of("/proc/self/fd").toFile();
        long open = fds.length(); // newer kernels report the number as the length
        if (open > 0) return open;
        var list = fds.list();
        return list == null ? -1 : list.length;
    }

    @Override
    public long fileWatchesLimit() {
        try {
            return Long.parseLong(setting(Path.of("/proc/sys/fs/inotify/max_user_watches")));
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public Optional<String> hostName() {
        try {
            return Optional.of(
                    Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public OpenFiles openFilesOfAll() {
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

    /** Other programs record the start time in clock ticks since boot too. */
    @Override
    public boolean isThere(long pid, String begun) {
        return row(pid).filter(row ->
                        alive(row.id()) && Long.toString(row.id().startTicks()).equals(begun))
                .isPresent();
    }
}
