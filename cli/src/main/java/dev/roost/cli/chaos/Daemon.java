package dev.roost.cli.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The daemon of the scene, as a process. */
final class Daemon {

    private final Door door;
    private final Timeline timeline;
    private Optional<Proc> process = Optional.empty();

    Daemon(Door door, Timeline timeline) {
        this.door = door;
        this.timeline = timeline;
    }

    /** It is started if there is none. */
    private Optional<Proc> find() {
        if (process.filter(Proc::alive).isEmpty()) {
            var status = door.ask(Door.OPERATOR, "status", Inspector.params());
            process = status.done() ? Proc.of(status.body().path("pid").asLong()) : Optional.empty();
        }
        return process;
    }

    /** One that an owner's command happened to start has no ears for faults, as it should: it is replaced by one that has. */
    boolean heedsFaults() {
        for (int i = 0; i < 3; i++) {
            var found = find();
            if (found.isPresent() && environment(found.get()).contains("ROOST_FAULTS=")) return true;
            found.ifPresent(Proc::kill);
        }
        return false;
    }

    private static String environment(Proc process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    boolean kill() {
        var found = find();
        if (found.isEmpty()) return false;
        timeline.note("kill_daemon: " + found.get().pid());
        return found.get().kill();
    }

    boolean freeze(long millis) {
        var found = find();
        if (found.isEmpty() || !found.get().signal("STOP")) return false;
        timeline.note("freeze_daemon: %d, for %d ms".formatted(found.get().pid(), millis));
        Waiting.millis(millis);
        found.get().signal("CONT");
        return true;
    }
}
