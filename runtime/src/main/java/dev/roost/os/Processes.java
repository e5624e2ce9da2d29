package dev.roost.os;

import dev.roost.model.ProcessId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the kernel says of processes. */
public final class Processes {

    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash", "zsh", "ksh", "ash", "busybox", "fish");

    private Processes() {}

    /** {@code reapedTicks}: what its children had used, and theirs, when it heard of their ends; 0 where that is not told. */
    public record Row(
            ProcessId id, long parent, long session, char state, long cpuTicks, long reapedTicks, String command) {}

    /** A new one at every boot of the machine. */
    public static String bootId() {
        return Kernel.here().bootId();
    }

    /** Ends this very process as {@code kill -9} does. */
    public static void killSelf() {
        Kernel.here().killSelf();
    }

    /** Whether exactly this process, not another with its pid, is there and no zombie. */
    public static boolean alive(ProcessId id) {
        return Kernel.here().alive(id);
    }

    /** Empty only if there is no such process: that we could not look does not mean that it is dead. */
    public static Optional<Row> row(long pid) {
        return Kernel.here().row(pid);
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

    /** Whether that process is there still, by what another program wrote down of when it began. */
    public static boolean isThere(long pid, String begun) {
        return Kernel.here().isThere(pid, begun);
    }

    public static List<Row> all() {
        var rows = new ArrayList<Row>();
        for (long pid : newestFirst()) row(pid).ifPresent(rows::add);
        return rows;
    }

    /** One that lives for a moment only, to leave another behind, is gone before the old ones have been looked at. */
    public static long[] newestFirst() {
        return Kernel.here().newestFirst();
    }

    /** How much processor time these have used, and their children that are gone, in hundredths of a second. */
    public static long cpuTicks(Collection<ProcessId> processes) {
        return Kernel.here().cpuTicks(processes);
    }

    /** The same without these themselves: their children that are gone; 0 where that is not told. */
    public static long reapedTicks(Collection<ProcessId> processes) {
        return processes.stream()
                .flatMap(id -> row(id.pid()).filter(row -> row.id.equals(id)).stream())
                .mapToLong(Row::reapedTicks)
                .sum();
    }

    /** How many processes the kernel has killed for want of memory since it started; 0 where it does not say. */
    public static long outOfMemoryKills() {
        return Kernel.here().outOfMemoryKills();
    }

    /** The words it was started with, each between NULs; empty where it is gone, or not ours to read. */
    public static String commandLine(long pid) {
        return Kernel.here().commandLine(pid);
    }

    /** Its command line, for a person; the bare name where that is hidden. */
    public static String describe(ProcessId id) {
        var line = new String(commandLine(id.pid()).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .replace('\0', ' ')
                .strip();
        if (line.isEmpty()) line = row(id.pid()).map(Row::command).orElse("(gone)");
        return id.pid() + " " + (line.length() > 120 ? line.substring(0, 120) + "…" : line);
    }

    /** Java itself, or what it starts its children with. */
    public static boolean isJava(long pid) {
        return Kernel.here().isJava(pid);
    }
}
