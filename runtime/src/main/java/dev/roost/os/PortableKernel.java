package dev.roost.os;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.roost.model.ProcessId;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The portable half, for any Unix, above all macOS: Java's process API, POSIX calls, ps, lsof and perl. */
final class PortableKernel implements Kernel {

    /** A prefix for PERL* variables of the caller, so that Roost's own perl ignores them. */
    private static final String HIDDEN = "ROOST_";

    /** Starts a session with perl, which every Mac has, because macOS has no command for it. */
    private static final String IN_OWN_SESSION = """
            for (grep /^%1$sPERL/, keys %%ENV) { $ENV{substr $_, length "%1$s"} = delete $ENV{$_} }
            eval { require POSIX; POSIX::setsid() }; exec { $ARGV[0] } @ARGV; exit 127
            """.formatted(HIDDEN);

    private static final int MAX_TRIES = 3;

    /** Whole seconds, as 20261231235959: ps in the perch prints no finer time. No pid is reused within a second. */
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("uuuuMMddHHmmss").withZone(ZoneOffset.UTC);

    /** A clock that stops while the machine sleeps; clock ids differ between systems. */
    private static final int CLOCK_WITHOUT_SLEEP = PsSnapshot.MAC ? 8 : 1; // UPTIME_RAW, or MONOTONIC

    private static final int CLOCK_WITH_SLEEP = PsSnapshot.MAC ? 4 : 7; // MONOTONIC_RAW, or BOOTTIME
    private static final int GUARD_CLOCK =
            PsSnapshot.MAC ? 6 : 7; // MONOTONIC, or BOOTTIME: the clock that the guard's perl can read

    private static final String BOOT_ID = readBootId();

    @Override
    public String script() {
        return "portable.sh";
    }

    @Override
    public String bootId() {
        return BOOT_ID;
    }

    /**
     * The start time of process 1, which Java reads without a program. Throws rather than guesses: with a different id all live
     * attempts would count as lost.
     */
    private static String readBootId() {
        return retry(() -> "init-"
                + ProcessHandle.of(1)
                        .flatMap(first -> first.info().startInstant())
                        .map(PortableKernel::second)
                        .orElseThrow(
                                () -> new IllegalStateException("the start time of process 1 cannot be determined")));
    }

    /** Retries a query: on macOS Java throws if processes appear while it lists them. */
    static <T> T retry(Supplier<T> query) {
        for (int tried = 1; ; tried++) {
            try {
                return query.get();
            } catch (RuntimeException e) {
                if (tried == MAX_TRIES) throw e;
            }
        }
    }

    private static long begun(ProcessHandle.Info info) {
        return info.startInstant().map(PortableKernel::second).orElse(-1L);
    }

    static long second(Instant at) {
        return Long.parseLong(SECOND.format(at));
    }

    /** Leaves out state and processor time; {@link #alive} and {@link #cpuTicks} find them out with ps. */
    @Override
    public Optional<Processes.Row> row(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> {
            var info = process.info();
            if (info.startInstant().isEmpty() && !process.isAlive()) return Optional.empty();
            return Optional.of(new Processes.Row(
                    new ProcessId(pid, begun(info)),
                    process.parent().map(ProcessHandle::pid).orElse(0L),
                    Libc.getsid(pid),
                    '?',
                    0,
                    0,
                    info.command()
                            .map(path -> String.valueOf(Path.of(path).getFileName()))
                            .orElse("?")));
        });
    }

    /** A zombie has no command any more, so only a process without one needs ps. */
    @Override
    public boolean alive(ProcessId id) {
        var info = ProcessHandle.of(id.pid()).map(ProcessHandle::info);
        if (info.isEmpty() || begun(info.get()) != id.startTicks()) return false;
        if (info.get().command().isPresent()) return true;
        var state = PsSnapshot.state(id.pid());
        return state.isEmpty() || !(state.get().isEmpty() || state.get().startsWith("Z"));
    }

    @Override
    public long[] newestFirst() {
        return retry(() -> ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .sorted(Comparator.reverseOrder())
                .mapToLong(Long::longValue)
                .toArray());
    }

    /** Uses ps: on macOS Java knows the processor time of its own process only. */
    @Override
    public long cpuTicks(Collection<ProcessId> processes) {
        var live = processes.stream()
                .filter(id -> ProcessHandle.of(id.pid())
                        .filter(process -> begun(process.info()) == id.startTicks())
                        .isPresent())
                .map(ProcessId::pid)
                .toList();
        return live.isEmpty() ? 0 : PsSnapshot.hundredths(live);
    }

    @Override
    public ProcessScan scanProcesses() {
        return new PsSnapshot();
    }

    /** Uses ps if Java does not know the arguments, as for a long command line. */
    @Override
    public String commandLine(long pid) {
        var info = ProcessHandle.of(pid).map(ProcessHandle::info);
        var words = info.flatMap(ProcessHandle.Info::arguments);
        if (words.isEmpty()) return PsSnapshot.commandLine(pid);
        var line = "\0" + info.flatMap(ProcessHandle.Info::command).orElse("?") + "\0" + String.join("\0", words.get())
                + "\0";
        return Kernel.bytes(line);
    }

    @Override
    public boolean isJava(long pid) {
        var program = ProcessHandle.of(pid).flatMap(process -> process.info().command());
        return program.isPresent()
                && (program.get().endsWith("/jspawnhelper")
                        || program.equals(ProcessHandle.current().info().command()));
    }

    @Override
    public boolean isStopped(long pid) {
        return PsSnapshot.state(pid).filter(state -> state.startsWith("T")).isPresent();
    }

    /** The pid could be reused between the check and the signal; the portable half cannot exclude that. */
    @Override
    public void signal(ProcessId id, Signal signal) {
        if (Processes.alive(id)) Libc.kill(id.pid(), signal.number);
    }

    @Override
    public ExitWatcher exits() {
        return new PollingExitWatcher();
    }

    @Override
    public FileWatcher files() {
        return new PollingFileWatcher();
    }

    @Override
    public void inOwnSession(ProcessBuilder builder) {
        var words = new ArrayList<>(List.of(PsSnapshot.program("perl"), "-e", IN_OWN_SESSION, "--"));
        words.addAll(builder.command());
        builder.command(words);
        var environment = builder.environment();
        for (var name : List.copyOf(environment.keySet())) {
            if (name.startsWith("PERL")) environment.put(HIDDEN + name, environment.remove(name));
        }
    }

    @Override
    public long monotonicNanos() {
        return Libc.clock(CLOCK_WITHOUT_SLEEP);
    }

    @Override
    public long sleptNanos() {
        return Math.max(0, Libc.clock(CLOCK_WITH_SLEEP) - Libc.clock(CLOCK_WITHOUT_SLEEP));
    }

    @Override
    public long hundredthsSinceBoot() {
        return Libc.clock(GUARD_CLOCK) / 10_000_000;
    }

    private static Optional<UnixOperatingSystemMXBean> system() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? Optional.of(unix)
                : Optional.empty();
    }

    @Override
    public long openFilesLimit() {
        return system().map(UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
                .filter(most -> most > 0)
                .orElse(Long.MAX_VALUE);
    }

    @Override
    public long openFiles() {
        return system().map(UnixOperatingSystemMXBean::getOpenFileDescriptorCount)
                .orElse(-1L);
    }

    @Override
    public Optional<String> hostName() {
        return PsSnapshot.output("uname", "-n").map(String::strip).filter(name -> !name.isEmpty());
    }

    @Override
    public List<String> missingTools() {
        return Stream.of("ps", "lsof", "perl")
                .filter(tool -> PsSnapshot.output(tool, "-v").isEmpty())
                .toList();
    }

    @Override
    public OpenFiles openFilesOfAll() {
        return PsSnapshot.openFiles();
    }

    /** Checks the pid only: the recorded form of a start time differs between systems. */
    @Override
    public boolean isThere(long pid, String begun) {
        return row(pid).filter(row -> alive(row.id())).isPresent();
    }
}
