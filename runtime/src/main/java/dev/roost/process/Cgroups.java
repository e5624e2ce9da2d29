package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A cgroup for each attempt, where this machine lets us make one: then nothing an agent starts can leave its tree. */
public final class Cgroups {

    public enum Version {
        V2,
        V1
    }

    private static final String OURS = "roost";

    private final Optional<Path> base;

    private Cgroups(Optional<Path> base) {
        this.base = base;
    }

    public static Cgroups none() {
        return new Cgroups(Optional.empty());
    }

    /**
     * For a process that is Roost's alone, once, before anything else: where it may make no groups, it asks systemd for a
     * place where it may.
     */
    public static void moveToWhereTheyWork() {
        if (Kernel.here().hasCgroups() && open().base.isEmpty()) SystemdScope.enter();
    }

    /** Finds out by trying. A daemon started from inside a run first leaves that run's group. */
    public static Cgroups open(Version... versions) {
        if (!Kernel.here().hasCgroups()) return none();
        for (var version : versions.length == 0 ? Version.values() : versions) {
            for (var own : CgroupMounts.own(version)) {
                var ours = tryAt(own);
                if (ours.isPresent()) return new Cgroups(ours);
            }
        }
        return none();
    }

    private static Optional<Path> tryAt(Path own) {
        try {
            var base = outside(own);
            if (!base.equals(own)) Files.writeString(base.resolve("cgroup.procs"), "0\n");
            var ours = base.resolve(OURS);
            if (!Files.isDirectory(ours)) Files.createDirectory(ours);
            var probe = ours.resolve("probe-" + ProcessHandle.current().pid());
            Files.createDirectory(probe);
            boolean works = Files.isWritable(probe.resolve("cgroup.procs"));
            Files.delete(probe);
            return works ? Optional.of(ours) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Where the groups are made, if this machine lets us. */
    public Optional<Path> base() {
        return base;
    }

    /** {@code …/roost/r_1234-1/deeper} is inside a run; {@code …} is not. */
    private static Path outside(Path own) {
        String path = own.toString();
        int ours = path.indexOf("/" + OURS + "/r_");
        return ours < 0 ? own : Path.of(path.substring(0, ours));
    }

    /** Makes the attempt's group; empty where the machine gives none. */
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
