package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A cgroup for each attempt, where this machine lets us make one: then nothing an agent starts can leave its tree. */
public final class Cgroups {

    public enum Version {
        V2,
        V1
    }

    private static final String OURS = "roost";

    /** Of the old hierarchies, those that limit nothing by themselves. */
    private static final List<String> V1_CONTROLLERS = List.of("freezer", "pids", "name=systemd");

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
        if (open().base.isEmpty()) SystemdScope.enter();
    }

    /** Finds out by trying. A daemon started from inside a run first leaves that run's group. */
    public static Cgroups open(Version... versions) {
        for (var version : versions.length == 0 ? Version.values() : versions) {
            for (var own : own(version)) {
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

    /** The groups this process is in, of one version. */
    private static List<Path> own(Version version) {
        try {
            return switch (version) {
                case V2 -> find(" - cgroup2 ", "", "0::");
                case V1 -> {
                    var all = new ArrayList<Path>();
                    for (var controller : V1_CONTROLLERS)
                        all.addAll(find(" - cgroup ", controller, ":" + controller + ":"));
                    yield all;
                }
            };
        } catch (IOException e) {
            return List.of(); // no /proc, so no cgroups
        }
    }

    /** The mount that has {@code kind} and {@code option}, and below it the path behind {@code mark} in our own entry. */
    private static List<Path> find(String kind, String option, String mark) throws IOException {
        for (var mount : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            boolean has = option.isEmpty() || mount.endsWith("," + option) || mount.contains("," + option + ",");
            if (!mount.contains(kind) || !has) continue;
            for (var entry : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                int path = entry.indexOf(mark);
                if (path >= 0) return List.of(Path.of(mount.split(" ", 6)[4] + entry.substring(path + mark.length())));
            }
        }
        return List.of();
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
