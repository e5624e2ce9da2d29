package dev.roost.process;

import dev.roost.os.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the groups of this process are mounted. */
public final class CgroupMounts {

    static {
        Kernel.mustBeLinux(CgroupMounts.class);
    }

    /** Of the old hierarchies, those that limit nothing by themselves. */
    private static final List<String> V1_CONTROLLERS = List.of("freezer", "pids", "name=systemd");

    private CgroupMounts() {}

    /** The groups this process is in, of one version. */
    static List<Path> own(Cgroups.Version version) {
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
}
