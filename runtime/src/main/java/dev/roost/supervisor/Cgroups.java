package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A cgroup for each attempt, where this machine lets us make one: then nothing an agent starts can leave its tree. */
public final class Cgroups {

    private static final String OURS = "roost";

    private final Optional<Path> base;

    private Cgroups(Optional<Path> base) {
        this.base = base;
    }

    public static Cgroups none() {
        return new Cgroups(Optional.empty());
    }

    /** Finds out by trying. A daemon started from inside a run first leaves that run's group. */
    public static Cgroups open() {
        return new Cgroups(own().flatMap(own -> {
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
        }));
    }

    public boolean available() {
        return base.isPresent();
    }

    /** {@code …/roost/r_1234-1/deeper} is inside a run; {@code …} is not. */
    private static Path outside(Path own) {
        String path = own.toString();
        int ours = path.indexOf("/" + OURS + "/r_");
        return ours < 0 ? own : Path.of(path.substring(0, ours));
    }

    private static Optional<Path> own() {
        try {
            String path = "";
            for (var line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                if (line.startsWith("0::/")) path = line.substring(4);
            }
            for (var line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
                if (line.contains(" - cgroup2 "))
                    return Optional.of(Path.of(line.split(" ", 6)[4]).resolve(path));
            }
        } catch (IOException e) {
            // no /proc, so no cgroups
        }
        return Optional.empty();
    }

    /** Makes the attempt's group; empty where the machine gives none. */
    Optional<Cgroup> create(String name) {
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
