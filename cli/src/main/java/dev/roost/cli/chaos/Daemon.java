package dev.roost.cli.chaos;

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
        Pause.millis(millis);
        found.get().signal("CONT");
        return true;
    }
}
