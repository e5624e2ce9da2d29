package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Only the Linux half of the kernel interface uses features of Linux. */
class LinuxKernelBoundaryTest {

    private static final Pattern LINUX_ONLY = Pattern.compile(
            "\"/proc|</proc|/proc/(self|sys|\\$|\\[)|inotify_|pidfd_?[oOs]|epoll[_A-Z]|(?<!handle\\()\"setsid\"|\\bsetsid [a-z\"]"
                    + "|readlink -f|stat -c|date -d|sed -i|\"syscall\"|cgroup\\.procs");

    /** The Linux half in the runtime, and cgroups, which exist on Linux only. */
    private static final Set<String> LINUX_HALF = Set.of(
            "LinuxKernel.java",
            "LinuxSyscalls.java",
            "ProcessSpawner.java",
            "PidfdExitWatcher.java",
            "InotifyWatcher.java",
            "Cgroup.java",
            "Cgroups.java",
            "CgroupMounts.java",
            "SystemdScope.java",
            "linux.sh");

    /** These scripts write to a cgroup only if they get one, which happens on Linux only. */
    private static final Set<String> SCRIPTS_WITH_CGROUP = Set.of("perch.sh", "guard.sh");

    /** The CLI does not use the runtime. Chaos is for Linux only, as it says; Umask handles both systems in one file. */
    private static final Set<String> CLI_AND_CHAOS = Set.of(
            "ChaosCommand.java",
            "ChaosMountNamespace.java",
            "DaemonUnderTest.java",
            "ExactProcess.java",
            "Sweep.java",
            "agent.sh",
            "Umask.java");

    /** Names Linux features in messages only. */
    private static final Set<String> MESSAGES = Set.of("Doctor.java");

    @Test
    void only_the_linux_half_uses_features_of_linux() throws IOException {
        var root = Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());
        var unexpected = new TreeSet<String>();
        var known = new TreeSet<String>();
        for (var module : List.of("runtime", "cluster", "daemon", "cli", "chaos")) {
            try (var files = Files.walk(root.resolve(module).resolve("src/main"))) {
                for (var file : files.filter(Files::isRegularFile).toList()) {
                    var name = file.getFileName().toString();
                    if (!name.endsWith(".java") && !name.endsWith(".sh")) continue;
                    if (!LINUX_ONLY.matcher(Files.readString(file)).find()) continue;
                    boolean allowed = Set.of("cli", "chaos").contains(module)
                            ? CLI_AND_CHAOS.contains(name)
                            : LINUX_HALF.contains(name)
                                    || SCRIPTS_WITH_CGROUP.contains(name)
                                    || MESSAGES.contains(name);
                    (allowed ? known : unexpected).add(root.relativize(file).toString());
                }
            }
        }
        assertThat(unexpected).isEmpty();
        assertThat(known).as("matches of the pattern").hasSizeGreaterThan(8);
    }
}
