package dev.roost.os;

import dev.roost.home.Home;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.process.Cgroups;
import dev.roost.process.PerchLauncher;
import dev.roost.testing.StubDaemon;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Asks the portable half in a JVM with a PATH that the test sets, and so with the test's programs; prints the answer. */
final class PortableKernelProbe {

    private PortableKernelProbe() {}

    public static void main(String[] words) throws IOException {
        System.out.println(
                switch (words[0]) {
                    case "boot" -> new PortableKernel().bootId();
                    case "missing" -> new PortableKernel().missingTools();
                    case "cpu" -> Processes.cpuTicks(Set.of(id(words[1])));
                    case "carries" -> new PortableKernel().scanProcesses().carries(Long.parseLong(words[1]), words[2]);
                    case "writes" ->
                        new PortableKernel().scanProcesses().writesInto(Long.parseLong(words[1]), Path.of(words[2]));
                    case "left" -> left(Home.open(Path.of(words[1])));
                    default -> throw new IllegalArgumentException(words[0]);
                });
    }

    private static ProcessId id(String pid) {
        return Processes.row(Long.parseLong(pid)).orElseThrow().id();
    }

    /** Ends an attempt that exits by itself, and returns its exit and the processes that could not be killed. */
    private static Object left(Home home) throws IOException {
        var run = RunId.create(Instant.now());
        var launcher = new PerchLauncher(home, Cgroups.none());
        var perch = StubDaemon.launch(home, launcher, run, "exit 0");
        while (Processes.alive(perch)) LockSupport.parkNanos(5_000_000);
        var directory = home.run(run).attempt(1);
        return directory.exit().orElseThrow() + " "
                + launcher.tree(run, 1, directory).kill(Set.of());
    }
}
