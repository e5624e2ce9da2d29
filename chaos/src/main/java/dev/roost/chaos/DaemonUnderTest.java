package dev.roost.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The daemon process of the chaos home. */
final class DaemonUnderTest {

    private final RoostAccess access;
    private final ChaosTimeline chaosTimeline;
    private Optional<ExactProcess> process = Optional.empty();

    DaemonUnderTest(RoostAccess access, ChaosTimeline chaosTimeline) {
        this.access = access;
        this.chaosTimeline = chaosTimeline;
    }

    /** Starts a daemon if none runs. */
    private Optional<ExactProcess> find() {
        if (process.filter(ExactProcess::alive).isEmpty()) {
            var status = access.call(RoostAccess.OPERATOR, "status", Inspector.params());
            process = status.done() ? ExactProcess.of(status.body().path("pid").asLong()) : Optional.empty();
        }
        return process;
    }

    /** Replaces a daemon that an owner's command started without fault injection. */
    boolean heedsFaults() {
        for (int i = 0; i < 3; i++) {
            var found = find();
            if (found.isPresent() && environment(found.get()).contains("ROOST_FAULTS=")) return true;
            found.ifPresent(ExactProcess::kill);
        }
        return false;
    }

    private static String environment(ExactProcess process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    boolean kill() {
        var found = find();
        if (found.isEmpty()) return false;
        chaosTimeline.note("kill_daemon: " + found.get().pid());
        return found.get().kill();
    }

    boolean freeze(long millis) {
        var found = find();
        if (found.isEmpty() || !found.get().signal("STOP")) return false;
        chaosTimeline.note("freeze_daemon: %d, for %d ms".formatted(found.get().pid(), millis));
        BoundedWait.millis(millis);
        found.get().signal("CONT");
        return true;
    }
}
