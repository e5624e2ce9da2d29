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

/** Any Unix that Java runs on, macOS above all: what Java tells of processes, POSIX calls, ps, lsof and perl. */
final class PortableKernel implements Kernel {

    /** Before a variable that is meant for another perl than ours. */
    private static final String HIDDEN = "ROOST_";

    /** A session by perl, which every Mac has, where a command for it is not a part of the system. */
    private static final String IN_OWN_SESSION = """
            for (grep /^%1$sPERL/, keys %%ENV) { $ENV{substr $_, length "%1$s"} = delete $ENV{$_} }
            eval { require POSIX; POSIX::setsid() }; exec { $ARGV[0] } @ARGV; exit 127
            """.formatted(HIDDEN);

    private static final int TRIES = 3;

    /** Whole seconds, since ps in the perch knows no finer ones: 20261231235959. No pid is used twice in one. */
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("uuuuMMddHHmmss").withZone(ZoneOffset.UTC);

    /** One that stands still while the machine sleeps, and one that does not: their numbers are each system's own. */
    private static final int AWAKE = PsSnapshot.MAC ? 8 : 1; // UPTIME_RAW, or MONOTONIC

    private static final int ALWAYS = PsSnapshot.MAC ? 4 : 7; // MONOTONIC_RAW, or BOOTTIME
    private static final int GUARDS =
            PsSnapshot.MAC ? 6 : 7; // MONOTONIC, or BOOTTIME: what perl in the guard can ask for
    private static final int SIGCONT = PsSnapshot.MAC ? 19 : 18;

    private static final String BOOT_ID = bootIdOfThis();

    @Override
    public String script() {
        return "portable.sh";
    }

    @Override
    public String bootId() {
        return BOOT_ID;
    }

    /** By when its first process began, which Java tells without a program. Never by a guess: with another name all that lives is lost. */
    private static String bootIdOfThis() {
        return persistently(() -> "init-"
                + ProcessHandle.of(1)
                        .flatMap(first -> first.info().startInstant())
                        .map(PortableKernel::second)
                        .orElseThrow(() -> new IllegalStateException("when process 1 began cannot be found out")));
    }

    /** On a Mac Java gives up where processes appear while it lists them. */
    static <T> T persistently(Supplier<T> question) {
        for (int tried = 1; ; tried++) {
            try {
                return question.get();
            } catch (RuntimeException e) {
                if (tried == TRIES) throw e;
            }
        }
    }

    private static long begun(ProcessHandle.Info info) {
        return info.startInstant().map(PortableKernel::second).orElse(-1L);
    }

    static long second(Instant at) {
        return Long.parseLong(SECOND.format(at));
    }

    /** State and processor time are not told: {@link #alive} and {@link #cpuTicks} find them out where they matter. */
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

    /** Who has ended and was not yet buried has no program any more; ps is asked of those alone. */
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
        return persistently(() -> ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .sorted(Comparator.reverseOrder())
                .mapToLong(Long::longValue)
                .toArray());
    }

    /** By ps, since Java on a Mac knows that of its own process alone. */
    @Override
    public long cpuTicks(Collection<ProcessId> processes) {
        var here = processes.stream()
                .filter(id -> ProcessHandle.of(id.pid())
                        .filter(process -> begun(process.info()) == id.startTicks())
                        .isPresent())
                .map(ProcessId::pid)
                .toList();
        return here.isEmpty() ? 0 : PsSnapshot.hundredths(here);
    }

    @Override
    public ProcessScan scanProcesses() {
        return new PsSnapshot();
    }

    /** Java does not tell all words of one that has many. */
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

    /** Between the look and the signal the pid could be another's; that it would have to be given out again in that moment is all there is. */
    @Override
    public void signal(ProcessId id, Signal signal) {
        if (Processes.alive(id)) Libc.kill(id.pid(), number(signal));
    }

    private static int number(Signal signal) {
        return switch (signal) {
            case TERM -> 15;
            case KILL -> 9;
            case CONT -> SIGCONT;
        };
    }

    @Override
    public void killSelf() {
        Libc.kill(ProcessHandle.current().pid(), number(Signal.KILL));
    }

    @Override
    public long outOfMemoryKills() {
        return 0;
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
    public boolean hasCgroups() {
        return false;
    }

    @Override
    public boolean spawns() {
        return false;
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
        return Libc.clock(AWAKE);
    }

    @Override
    public long sleptNanos() {
        return Math.max(0, Libc.clock(ALWAYS) - Libc.clock(AWAKE));
    }

    @Override
    public long hundredthsSinceBoot() {
        return Libc.clock(GUARDS) / 10_000_000;
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
    public long fileWatchesLimit() {
        return Long.MAX_VALUE;
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

    /** In what words others write it down differs from system to system: then the pid alone has to do. */
    @Override
    public boolean isThere(long pid, String begun) {
        return row(pid).filter(row -> alive(row.id())).isPresent();
    }
}
