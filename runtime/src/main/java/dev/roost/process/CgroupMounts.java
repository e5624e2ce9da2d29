package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the directories of the cgroups of this process. */
public final class CgroupMounts {

    static {
        Kernel.mustBeLinux(CgroupMounts.class);
    }

    /** The cgroup v1 hierarchies that set no limits by default. */
    private static final List<String> V1_CONTROLLERS = List.of("freezer", "pids", "name=systemd");

    private CgroupMounts() {}

    /** The cgroups of this process, of one version. */
    static List<Path> own(Cgroups.Version version) {
        try {
            return switch (version) {
                case V2 -> find(" - cgroup2 ", "", "0::");
                case V1 -> {
                    var groups = new ArrayList<Path>();
                    for (var controller : V1_CONTROLLERS)
                        groups.addAll(find(" - cgroup ", controller, ":" + controller + ":"));
                    yield groups;
                }
            };
        } catch (IOException e) {
            return List.of(); // no /proc, so no cgroups
        }
    }

    /** The mount with {@code kind} and {@code option}, joined with the path after {@code mark} in this process's cgroup entry. */
    private static List<Path> find(String kind, String option, String mark) throws IOException {
        for (var mount : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            boolean hasOption = option.isEmpty() || mount.endsWith("," + option) || mount.contains("," + option + ",");
            if (!mount.contains(kind) || !hasOption) continue;
            for (var entry : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                int path = entry.indexOf(mark);
                if (path >= 0) return List.of(Path.of(mount.split(" ", 6)[4] + entry.substring(path + mark.length())));
            }
        }
        return List.of();
    }
}
