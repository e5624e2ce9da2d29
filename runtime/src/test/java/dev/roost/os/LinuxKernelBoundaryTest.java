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

/** What only Linux has is spoken of in the Linux half of the kernel's seam and nowhere else. */
class LinuxKernelBoundaryTest {

    private static final Pattern LINUX_ONLY = Pattern.compile(
            "\"/proc|</proc|/proc/(self|sys|\\$|\\[)|inotify_|pidfd_?[oOs]|epoll[_A-Z]|(?<!handle\\()\"setsid\"|\\bsetsid [a-z\"]"
                    + "|readlink -f|stat -c|date -d|sed -i|\"syscall\"|cgroup\\.procs");

    /** Of the runtime: the half itself, and the group of an attempt, which exists on Linux alone. */
    private static final Set<String> HALF = Set.of(
            "LinuxKernel.java",
            "LinuxSyscalls.java",
            "ProcFs.java",
            "ProcessSpawner.java",
            "PidfdExitWatcher.java",
            "InotifyWatcher.java",
            "Cgroup.java",
            "Cgroups.java",
            "CgroupMounts.java",
            "SystemdScope.java",
            "linux.sh");

    /** Each writes to a group only if it was told one, which no other system's kernel makes. */
    private static final Set<String> GIVEN_A_GROUP = Set.of("perch.sh", "guard.sh");

    /** The command line has no part of the runtime. Chaos says itself that it is for Linux; Umask has both ways in one file. */
    private static final Set<String> OF_THE_CLI = Set.of(
            "ChaosCommand.java",
            "ChaosMountNamespace.java",
            "ExactProcess.java",
            "DaemonUnderTest.java",
            "Sweep.java",
            "agent.sh",
            "Umask.java");

    /** For a person to read. */
    private static final Set<String> WORDS = Set.of("Doctor.java");

    @Test
    void linux_is_known_behind_the_seam_alone() throws IOException {
        var root = Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());
        var strangers = new TreeSet<String>();
        var known = new TreeSet<String>();
        for (var module : List.of("runtime", "cluster", "daemon", "chaos", "cli")) {
            try (var files = Files.walk(root.resolve(module).resolve("src/main"))) {
                for (var file : files.filter(Files::isRegularFile).toList()) {
                    var name = file.getFileName().toString();
                    if (!name.endsWith(".java") && !name.endsWith(".sh")) continue;
                    if (!LINUX_ONLY.matcher(Files.readString(file)).find()) continue;
                    boolean allowed = Set.of("cli", "chaos").contains(module)
                            ? OF_THE_CLI.contains(name)
                            : HALF.contains(name) || GIVEN_A_GROUP.contains(name) || WORDS.contains(name);
                    (allowed ? known : strangers).add(root.relativize(file).toString());
                }
            }
        }
        assertThat(strangers).isEmpty();
        assertThat(known).as("what the pattern finds").hasSizeGreaterThan(8);
    }
}
