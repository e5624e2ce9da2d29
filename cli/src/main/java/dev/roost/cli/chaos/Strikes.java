package dev.roost.cli.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Does the faults. Each is counted only if it hit somebody. */
final class Strikes {

    private static final String[] CLOCKS = {"clock +1h", "clock -30m", "clock +26h", "clock -3h", ""};

    /** Goes on again after so many bursts. */
    private record Frozen(Proc process, int until) {}

    private final Scene scene;
    private final Optional<Disk> disk;
    private final Daemon daemon;
    private final Set<String> harmed;
    private final Timeline timeline;
    private final Crowd crowd;
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private final List<Frozen> frozen = new ArrayList<>();
    private String clock = "";
    private int bursts;

    Strikes(Scene scene, Optional<Disk> disk, Daemon daemon, Set<String> harmed, Timeline timeline, Crowd crowd) {
        this.scene = scene;
        this.disk = disk;
        this.daemon = daemon;
        this.harmed = harmed;
        this.timeline = timeline;
        this.crowd = crowd;
    }

    Map<Fault, Integer> counts() {
        return counts;
    }

    void hit(Plan.Strike strike) {
        boolean hit = switch (strike.fault()) {
            case KILL_DAEMON -> daemon.kill();
            case FREEZE_DAEMON -> daemon.freeze(200 + strike.amount());
            case KILL_PERCH ->
                attempt(strike)
                        .map(this::harm)
                        .map(Scene.Attempt::perch)
                        .filter(this::killed)
                        .isPresent();
            case KILL_AGENT ->
                attempt(strike)
                        .map(this::harm)
                        .map(Scene.Attempt::agent)
                        .filter(this::killed)
                        .isPresent();
            case KILL_CHILD -> child(strike).filter(this::killed).isPresent();
            case FREEZE_PERCH ->
                attempt(strike)
                        .map(Scene.Attempt::perch)
                        .filter(p -> stopped(p, strike))
                        .isPresent();
            case FREEZE_AGENT ->
                attempt(strike)
                        .map(Scene.Attempt::agent)
                        .filter(p -> stopped(p, strike))
                        .isPresent();
            case FULL_DISK -> full(strike);
            case SLOW_DISK -> slow(strike);
            case CLOCK_JUMP -> jump(strike);
            case TORN_FILE -> tear(strike);
            case MANY_CLIENTS -> crowd.come(strike.pick());
        };
        if (hit) counts.merge(strike.fault(), 1, Integer::sum);
        else timeline.note(strike.fault().word() + ": there was nobody to hit");
    }

    private Optional<Scene.Attempt> attempt(Plan.Strike strike) {
        var live = scene.live();
        if (live.isEmpty()) return Optional.empty();
        var chosen = live.get(strike.pick() % live.size());
        timeline.note("%s: %s, perch %d, agent %d"
                .formatted(
                        strike.fault().word(),
                        chosen.runId(),
                        chosen.perch().pid(),
                        chosen.agent().pid()));
        return Optional.of(chosen);
    }

    private Scene.Attempt harm(Scene.Attempt attempt) {
        harmed.add(attempt.runId());
        return attempt;
    }

    private boolean killed(Proc process) {
        return process.kill();
    }

    private Optional<Proc> child(Plan.Strike strike) {
        var children = new ArrayList<Proc>();
        for (var name : scene.evidenceNames())
            for (var child : scene.evidenceOf(name).children()) if (child.alive()) children.add(child);
        if (children.isEmpty()) return Optional.empty();
        var chosen = children.get(strike.pick() % children.size());
        timeline.note("kill_child: " + chosen.pid());
        return Optional.of(chosen);
    }

    private boolean stopped(Proc process, Plan.Strike strike) {
        if (!process.signal("STOP")) return false;
        frozen.add(new Frozen(process, bursts + 1 + strike.amount() % 3));
        return true;
    }

    private boolean full(Plan.Strike strike) {
        timeline.note("full_disk");
        boolean full = disk.orElseThrow().fill();
        Waiting.millis(300 + strike.amount());
        disk.orElseThrow().free();
        timeline.note("full_disk: there is room again");
        return full;
    }

    private boolean slow(Plan.Strike strike) {
        if (!daemon.heedsFaults()) return false;
        int millis = 50 + strike.amount() / 4;
        timeline.note("slow_disk: %d ms".formatted(millis));
        scene.faults("slow %dms\n%s\n".formatted(millis, clock));
        Waiting.millis(500 + strike.amount());
        scene.faults(clock + "\n");
        return true;
    }

    /** Stays until the next one: nothing may depend on it. */
    private boolean jump(Plan.Strike strike) {
        if (!daemon.heedsFaults()) return false;
        clock = CLOCKS[strike.pick() % CLOCKS.length];
        timeline.note("clock_jump: " + (clock.isEmpty() ? "back to what it is" : clock));
        scene.faults(clock + "\n");
        return true;
    }

    private boolean tear(Plan.Strike strike) {
        if (!daemon.kill()) return false;
        return new Tear(scene, harmed, timeline).one(strike.pick(), strike.amount());
    }

    /** A burst is over: what froze long enough ago goes on. */
    void thaw() {
        bursts++;
        var due = frozen.stream().filter(one -> one.until() <= bursts).toList();
        due.forEach(one -> one.process().signal("CONT"));
        frozen.removeAll(due);
    }

    /** Everything goes on. */
    void thawAll() {
        frozen.forEach(one -> one.process().signal("CONT"));
        frozen.clear();
        clock = "";
        scene.faults("");
        disk.ifPresent(Disk::free);
    }
}
