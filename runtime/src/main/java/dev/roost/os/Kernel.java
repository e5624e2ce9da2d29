package dev.roost.os;

import dev.roost.model.ProcessId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * All that Roost asks of a machine beyond what Java and POSIX files give: the one seam between Linux and every other system. Nothing
 * of {@link LinuxKernel}'s half is loaded or read where the other is in use.
 */
public sealed interface Kernel permits LinuxKernel, PortableKernel {

    /** Chooses the portable half on Linux too: {@code ROOST_PORTABLE=1}, or the system property for a JVM of ours. */
    String SWITCH = "roost.portable";

    boolean FORCED = Boolean.getBoolean(SWITCH) || "1".equals(System.getenv("ROOST_PORTABLE"));

    boolean PORTABLE = FORCED || !System.getProperty("os.name").equals("Linux");

    static Kernel here() {
        return KernelHolder.KERNEL;
    }

    /** Not earlier than it is asked for: one half cannot even be loaded where the other belongs. */
    final class KernelHolder {
        private static final Kernel KERNEL = PORTABLE ? new PortableKernel() : new LinuxKernel();

        private KernelHolder() {}
    }

    /** First thing in each class of the Linux half, so that the other half cannot lean on it unseen. */
    static void mustBeLinux(Class<?> half) {
        if (PORTABLE)
            throw new IllegalStateException(half.getSimpleName() + " is for Linux, and this is not, or not to be");
    }

    enum Signal {
        TERM,
        KILL,
        CONT
    }

    /** The part of our shell scripts that is this kernel's: a resource, put before each of them. */
    String script();

    /** A new one at every boot of the machine. */
    String bootId();

    /** Empty only if there is no such process: that we could not look does not mean that it is dead. */
    Optional<Processes.Row> row(long pid);

    /** Whether exactly this process, not another with its pid, is there, and not only until its parent asks for how it ended. */
    boolean alive(ProcessId id);

    /** One that lives for a moment only, to leave another behind, is gone before the old ones have been looked at. */
    long[] newestFirst();

    /** What is not cheap to find out of many, for one search. */
    ProcessScan scanProcesses();

    /** What a process hides from a passer-by. */
    interface ProcessScan {

        /** The environment it was started with, a char for each byte, each word between NULs; empty where it is not ours to read. */
        String environment(long pid);

        /** Whether it was started with this word, {@code NAME=value}, in its environment. */
        default boolean carries(long pid, String word) {
            return environment(pid).contains("\0" + bytes(word) + "\0");
        }

        /** These are who will be asked about next: where each question is a program to run, one may do for all. */
        default void prepare(Collection<Long> pids) {}

        /** Whether the process writes to a file in {@code directory}: then it belongs to that attempt, whatever else it hides. */
        boolean writesInto(long pid, Path directory);

        /** Who may be there though nobody was found, since somebody who was asked did not answer; for the record. */
        default List<String> unseen() {
            return List.of();
        }
    }

    /** As a text of the kernel's is read: a char for each byte. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** The words it was started with, a char for each byte, each word between NULs; empty where it is gone, or not ours to read. */
    String commandLine(long pid);

    /** How much processor time these have used, and their children that are gone, in hundredths of a second. */
    default long cpuTicks(Collection<ProcessId> processes) {
        return processes.stream()
                .flatMap(id -> row(id.pid()).filter(row -> row.id().equals(id)).stream())
                .mapToLong(row -> row.cpuTicks() + row.reapedTicks())
                .sum();
    }

    /** Java itself, or what it starts its children with. */
    boolean isJava(long pid);

    /** Whether it is stopped, and would go on if told to. */
    boolean isStopped(long pid);

    /** To this very process or to nobody. */
    void signal(ProcessId id, Signal signal);

    /** Ends this very process as {@code kill -9} does. */
    void killSelf();

    /** How many processes the kernel has killed for want of memory since it started; 0 where it does not say. */
    long outOfMemoryKills();

    ExitWatcher exits();

    FileWatcher files();

    boolean hasCgroups();

    /** Whether {@link ProcessSpawner} works here. */
    boolean spawns();

    /** Has its words run in a session of their own; its environment is to be complete by then. */
    void inOwnSession(ProcessBuilder builder);

    long monotonicNanos();

    long sleptNanos();

    /** Since the machine booted, its sleep included; what the guard's script reads, too. */
    long hundredthsSinceBoot() throws IOException;

    long openFilesLimit();

    /** How many this process has open; negative if that cannot be told. */
    long openFiles();

    long fileWatchesLimit();

    Optional<String> hostName();

    /** Programs of the system that it asks, and that are not there. */
    List<String> missingTools();

    /** Who has which files open, and where everybody is. */
    OpenFiles openFilesOfAll();

    /** Whether that process is there still, by what another program wrote down of when it began. */
    boolean isThere(long pid, String begun);
}
