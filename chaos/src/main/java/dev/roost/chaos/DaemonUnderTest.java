package dev.roost.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The daemon process of the chaos home. */
final class DaemonUnderTest {

    private final ChaosSession session;
    private Optional<ExactProcess> process = Optional.empty();

    DaemonUnderTest(ChaosSession session) {
        this.session = session;
    }

    /** Starts a daemon if none runs. */
    private Optional<ExactProcess> find() {
        if (process.filter(ExactProcess::alive).isEmpty()) {
            var status = session.call(RoostAccess.OPERATOR, "status");
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
        found.ifPresent(daemon -> session.note("kill_daemon: " + daemon.pid()));
        return found.filter(ExactProcess::kill).isPresent();
    }

    boolean freeze(long millis) {
        var found = find().filter(daemon -> daemon.signal("STOP"));
        found.ifPresent(daemon -> {
            session.note("freeze_daemon: %d, for %d ms".formatted(daemon.pid(), millis));
            BoundedWait.millis(millis);
            daemon.signal("CONT");
        });
        return found.isPresent();
    }
}
