package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Creates a cgroup for each attempt, if this machine permits that: then no process of an agent can leave its tree. */
public final class Cgroups {

    public enum Version {
        V2,
        V1
    }

    private static final String ROOST = "roost";

    private final Optional<Path> base;

    private Cgroups(Optional<Path> base) {
        this.base = base;
    }

    public static Cgroups none() {
        return new Cgroups(Optional.empty());
    }

    /**
     * Called once, first of all, by a process that runs only Roost: if it may not create cgroups, it asks systemd for a scope in
     * which it may.
     */
    public static void moveToWhereTheyWork() {
        if (Kernel.here().hasCgroups() && open().base.isEmpty()) SystemdScope.enter();
    }

    /** Tries to create a cgroup. A daemon that was started inside a run leaves that run's cgroup first. */
    public static Cgroups open(Version... versions) {
        if (!Kernel.here().hasCgroups()) return none();
        for (var version : versions.length == 0 ? Version.values() : versions) {
            for (var own : CgroupMounts.own(version)) {
                var base = baseIn(own);
                if (base.isPresent()) return new Cgroups(base);
            }
        }
        return none();
    }

    private static Optional<Path> baseIn(Path own) {
        try {
            var parent = outsideRuns(own);
            if (!parent.equals(own)) Files.writeString(parent.resolve("cgroup.procs"), "0\n");
            var base = parent.resolve(ROOST);
            if (!Files.isDirectory(base)) Files.createDirectory(base);
            var probe = base.resolve("probe-" + ProcessHandle.current().pid());
            Files.createDirectory(probe);
            boolean works = Files.isWritable(probe.resolve("cgroup.procs"));
            Files.delete(probe);
            return works ? Optional.of(base) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The directory in which the cgroups are created, if this machine permits that. */
    public Optional<Path> base() {
        return base;
    }

    /** The cgroup itself, or for one inside a run, as {@code …/roost/r_1234-1/deeper}, the part before {@code /roost}. */
    private static Path outsideRuns(Path own) {
        String path = own.toString();
        int end = path.indexOf("/" + ROOST + "/r_");
        return end < 0 ? own : Path.of(path.substring(0, end));
    }

    /** Creates the attempt's cgroup; empty if this machine does not permit it. */
    public Optional<Cgroup> create(String name) {
        return base.flatMap(base -> {
            var path = base.resolve(name);
            try {
                if (!Files.isDirectory(path)) Files.createDirectory(path);
                return Optional.of(new Cgroup(path));
            } catch (IOException e) {
                return Optional.empty();
            }
        });
    }
}
