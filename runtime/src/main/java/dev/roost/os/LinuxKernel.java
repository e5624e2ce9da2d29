package dev.roost.os;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The Linux half: /proc, pidfd and epoll, inotify, cgroups. */
final class LinuxKernel implements Kernel {

    static {
        Kernel.mustBeLinux(LinuxKernel.class);
    }

    private static final ProcFs PROC = new ProcFs();
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Path UPTIME = Path.of("/proc/uptime");

    @Override
    public String script() {
        return "linux.sh";
    }

    /** Read once: the boot id does not change while this process lives. */
    private static final class BootIdHolder {
        static final String ID = read();

        private static String read() {
            try {
                return ProcFs.setting(BOOT_ID);
            } catch (IOException e) {
                throw new IllegalStateException("the boot id of this machine cannot be read", e);
            }
        }
    }

    @Override
    public String bootId() {
        return BootIdHolder.ID;
    }

    @Override
    public Optional<Processes.Row> row(long pid) {
        return ProcFs.row(pid);
    }

    @Override
    public boolean alive(ProcessId id) {
        return row(id.pid())
                .filter(row -> row.id().equals(id) && row.state() != 'Z' && row.state() != 'X')
                .isPresent();
    }

    @Override
    public long[] newestFirst() {
        return ProcFs.newestFirst();
    }

    @Override
    public ProcessScan scanProcesses() {
        return PROC;
    }

    @Override
    public String commandLine(long pid) {
        return ProcFs.commandLine(pid);
    }

    @Override
    public boolean isJava(long pid) {
        return ProcFs.isJava(pid);
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
            if (Processes.alive(id)) LinuxSyscalls.pidfdSendSignal(pidfd, number(signal));
            LinuxSyscalls.close(pidfd);
        } else if (pidfd != -LinuxSyscalls.ESRCH && Processes.alive(id)) {
            Libc.kill(id.pid(), number(signal)); // an old kernel has no pidfds
        }
    }

    private static int number(Signal signal) {
        return switch (signal) {
            case TERM -> 15;
            case KILL -> 9;
            case CONT -> 18;
        };
    }

    @Override
    public void killSelf() {
        Libc.kill(ProcessHandle.current().pid(), number(Signal.KILL));
    }

    @Override
    public long outOfMemoryKills() {
        return ProcFs.outOfMemoryKills();
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
        var seconds = Files.readString(UPTIME).split(" ", 2)[0];
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
            return Long.parseLong(ProcFs.setting(Path.of("/proc/sys/fs/inotify/max_user_watches")));
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public Optional<String> hostName() {
        try {
            return Optional.of(Files.readString(HOST_NAME).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<String> missingTools() {
        return List.of();
    }

    @Override
    public OpenFiles openFilesOfAll() {
        return ProcFs.openFiles();
    }

    /** Other programs record the start time in clock ticks since boot too. */
    @Override
    public boolean isThere(long pid, String begun) {
        return row(pid).filter(row ->
                        alive(row.id()) && Long.toString(row.id().startTicks()).equals(begun))
                .isPresent();
    }
}
