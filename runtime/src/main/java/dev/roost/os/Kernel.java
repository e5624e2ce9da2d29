package dev.roost.os;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Everything that Roost asks of the operating system beyond Java and POSIX files: the only interface between Linux and other
 * systems. Where the portable half is in use, no class of the Linux half ({@link LinuxKernel}) is loaded.
 */
public sealed interface Kernel permits LinuxKernel, PortableKernel {

    /** Selects the portable half on Linux: this system property, or {@code ROOST_PORTABLE=1} in the environment. */
    String SWITCH = "roost.portable";

    boolean FORCED = Boolean.getBoolean(SWITCH) || "1".equals(System.getenv("ROOST_PORTABLE"));

    boolean PORTABLE = FORCED || !System.getProperty("os.name").equals("Linux");

    static Kernel here() {
        return KernelHolder.KERNEL;
    }

    /** Creates the kernel on first use: the Linux half throws when it is loaded on another system. */
    final class KernelHolder {
        private static final Kernel KERNEL = PORTABLE ? new PortableKernel() : new LinuxKernel();

        private KernelHolder() {}
    }

    /** Called by the static initializer of each class of the Linux half, so that the portable half cannot use it by mistake. */
    static void mustBeLinux(Class<?> half) {
        if (PORTABLE)
            throw new IllegalStateException(half.getSimpleName() + " is for Linux, and the portable half is in use");
    }

    enum Signal {
        TERM(15),
        KILL(9),
        CONT(System.getProperty("os.name").startsWith("Mac") ? 19 : 18);

        final int number;

        Signal(int number) {
            this.number = number;
        }
    }

    /** The resource with the shell functions of this kernel, which precedes each script. */
    String script();

    /** An id that changes at every boot of the machine. */
    String bootId();

    /** Empty only if there is no such process; throws if that cannot be determined. */
    Optional<Processes.Row> row(long pid);

    /** Whether exactly this process, not another one with its pid, is alive and not a zombie. */
    boolean alive(ProcessId id);

    /** All pids, the newest first: a short-lived process that leaves a child must be inspected before it exits. */
    long[] newestFirst();

    /** Starts a scan, which caches facts that are expensive to find out for many processes. */
    ProcessScan scanProcesses();

    /** The environment and open files of processes, for one scan. */
    interface ProcessScan {

        /** The initial environment, a char for each byte, each entry between NULs; empty if this user may not read it. */
        String environment(long pid);

        /** Whether the initial environment has this entry, {@code NAME=value}. */
        default boolean carries(long pid, String word) {
            return environment(pid).contains("\0" + bytes(word) + "\0");
        }

        /** Announces the processes of the next questions, so that one program run can answer for all. */
        default void prepare(Collection<Long> pids) {}

        /** Whether the process has a file in {@code directory} open for writing: then it belongs to that attempt. */
        boolean writesInto(long pid, Path directory);

        /** Notes on processes that the scan may have missed because a program did not answer; for the record. */
        default List<String> unseen() {
            return List.of();
        }
    }

    /** Converts a text to the form in which kernel data is read: a char for each byte. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** The arguments, a char for each byte, each argument between NULs; empty if the process ended or may not be read. */
    String commandLine(long pid);

    /** The processor time of these processes and their reaped children, in hundredths of a second. */
    default long cpuTicks(Collection<ProcessId> processes) {
        return processes.stream()
                .flatMap(id -> row(id.pid()).filter(row -> row.id().equals(id)).stream())
                .mapToLong(row -> row.cpuTicks() + row.reapedTicks())
                .sum();
    }

    /** Whether the program of the process is this Java or its {@code jspawnhelper}. */
    boolean isJava(long pid);

    /** Whether a signal stopped the process, so that SIGCONT continues it. */
    boolean isStopped(long pid);

    /** Signals exactly this process, never another one with its pid. */
    void signal(ProcessId id, Signal signal);

    /** Kills this process as {@code kill -9} does. */
    default void killSelf() {
        Libc.kill(ProcessHandle.current().pid(), Signal.KILL.number);
    }

    /** The number of processes that the kernel has killed for lack of memory since boot; 0 if unknown. */
    default long outOfMemoryKills() {
        return 0;
    }

    ExitWatcher exits();

    FileWatcher files();

    default boolean hasCgroups() {
        return false;
    }

    /** Whether {@link ProcessSpawner} works here. */
    default boolean spawns() {
        return false;
    }

    /** Makes the builder start its program in a new session. Call this after the environment is complete. */
    void inOwnSession(ProcessBuilder builder);

    long monotonicNanos();

    long sleptNanos();

    /** The time since boot, including sleep. The guard's script reads the same clock. */
    long hundredthsSinceBoot() throws IOException;

    long openFilesLimit();

    /** The number of open files of this process; negative if unknown. */
    long openFiles();

    default long fileWatchesLimit() {
        return Long.MAX_VALUE;
    }

    Optional<String> hostName();

    /** The required system programs that are missing. */
    default List<String> missingTools() {
        return List.of();
    }

    /** The open files and working directories of all processes. */
    OpenFiles openFilesOfAll();

    /** Whether the process is still alive; {@code begun} is the start time that another program recorded. */
    boolean isThere(long pid, String begun);
}
