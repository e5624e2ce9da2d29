package dev.roost.os;

import dev.roost.model.ProcessId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Facts about processes, from the kernel; {@link Kernel} says more about each. */
public final class Processes {

    private static final Set<String> SHELLS = Set.of("sh", "dash", "bash", "zsh", "ksh", "ash", "busybox", "fish");

    private Processes() {}

    /** One process. {@code reapedTicks}: processor time of its reaped children and their reaped children; 0 if unknown. */
    public record Row(
            ProcessId id, long parent, long session, char state, long cpuTicks, long reapedTicks, String command) {}

    public static String bootId() {
        return Kernel.here().bootId();
    }

    public static void killSelf() {
        Kernel.here().killSelf();
    }

    public static boolean alive(ProcessId id) {
        return Kernel.here().alive(id);
    }

    public static Optional<Row> row(long pid) {
        return Kernel.here().row(pid);
    }

    /** The process that started this one: its nearest ancestor that is not a shell. */
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

    public static boolean isThere(long pid, String begun) {
        return Kernel.here().isThere(pid, begun);
    }

    public static List<Row> all() {
        var rows = new ArrayList<Row>();
        for (long pid : newestFirst()) row(pid).ifPresent(rows::add);
        return rows;
    }

    public static long[] newestFirst() {
        return Kernel.here().newestFirst();
    }

    public static long cpuTicks(Collection<ProcessId> processes) {
        return Kernel.here().cpuTicks(processes);
    }

    /** The processor time of their reaped children only; 0 if unknown. */
    public static long reapedTicks(Collection<ProcessId> processes) {
        return processes.stream()
                .flatMap(id -> row(id.pid()).filter(row -> row.id.equals(id)).stream())
                .mapToLong(Row::reapedTicks)
                .sum();
    }

    public static long outOfMemoryKills() {
        return Kernel.here().outOfMemoryKills();
    }

    /** The arguments, each between NULs; empty if the process ended or may not be read. */
    public static String commandLine(long pid) {
        return Kernel.here().commandLine(pid);
    }

    /** The command line for display, or the bare command name if the command line is not readable. */
    public static String describe(ProcessId id) {
        var line = new String(commandLine(id.pid()).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .replace('\0', ' ')
                .strip();
        if (line.isEmpty()) line = row(id.pid()).map(Row::command).orElse("(gone)");
        return id.pid() + " " + (line.length() > 120 ? line.substring(0, 120) + "…" : line);
    }

    public static boolean isJava(long pid) {
        return Kernel.here().isJava(pid);
    }
}
