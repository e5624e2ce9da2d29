package dev.roost.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Injects the faults. A fault is counted only if it hit a process or file. */
final class FaultInjector {

    private static final String[] CLOCKS = {"clock +1h", "clock -30m", "clock +26h", "clock -3h", ""};

    /** Continued after so many bursts. */
    private record FrozenProcess(ExactProcess process, int until) {}

    private final ChaosHome home;
    private final Optional<Disk> disk;
    private final DaemonUnderTest daemonUnderTest;
    private final Set<String> harmed;
    private final ChaosTimeline chaosTimeline;
    private final ClientLoad load;
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private final List<FrozenProcess> frozen = new ArrayList<>();
    private String clock = "";
    private int bursts;

    FaultInjector(
            ChaosHome home,
            Optional<Disk> disk,
            DaemonUnderTest daemonUnderTest,
            Set<String> harmed,
            ChaosTimeline chaosTimeline,
            ClientLoad load) {
        this.home = home;
        this.disk = disk;
        this.daemonUnderTest = daemonUnderTest;
        this.harmed = harmed;
        this.chaosTimeline = chaosTimeline;
        this.load = load;
    }

    Map<Fault, Integer> counts() {
        return counts;
    }

    void hit(Plan.PlannedFault strike) {
        boolean hit = switch (strike.fault()) {
            case KILL_DAEMON -> daemonUnderTest.kill();
            case FREEZE_DAEMON -> daemonUnderTest.freeze(200 + strike.amount());
            case KILL_PERCH ->
                attempt(strike)
                        .map(this::harm)
                        .map(ChaosHome.LiveAttempt::perch)
                        .filter(this::killed)
                        .isPresent();
            case KILL_AGENT ->
                attempt(strike)
                        .map(this::harm)
                        .map(ChaosHome.LiveAttempt::agent)
                        .filter(this::killed)
                        .isPresent();
            case KILL_CHILD -> child(strike).filter(this::killed).isPresent();
            case FREEZE_PERCH ->
                attempt(strike)
                        .map(ChaosHome.LiveAttempt::perch)
                        .filter(p -> stopped(p, strike))
                        .isPresent();
            case FREEZE_AGENT ->
                attempt(strike)
                        .map(ChaosHome.LiveAttempt::agent)
                        .filter(p -> stopped(p, strike))
                        .isPresent();
            case FULL_DISK -> full(strike);
            case SLOW_DISK -> slow(strike);
            case CLOCK_JUMP -> jump(strike);
            case TORN_FILE -> tear(strike);
            case MANY_CLIENTS -> load.startBurst(strike.pick());
        };
        if (hit) counts.merge(strike.fault(), 1, Integer::sum);
        else chaosTimeline.note(strike.fault().word() + ": no target");
    }

    private Optional<ChaosHome.LiveAttempt> attempt(Plan.PlannedFault strike) {
        var live = home.live();
        if (live.isEmpty()) return Optional.empty();
        var chosen = live.get(strike.pick() % live.size());
        chaosTimeline.note("%s: %s, perch %d, agent %d"
                .formatted(
                        strike.fault().word(),
                        chosen.runId(),
                        chosen.perch().pid(),
                        chosen.agent().pid()));
        return Optional.of(chosen);
    }

    private ChaosHome.LiveAttempt harm(ChaosHome.LiveAttempt attempt) {
        harmed.add(attempt.runId());
        return attempt;
    }

    private boolean killed(ExactProcess process) {
        return process.kill();
    }

    private Optional<ExactProcess> child(Plan.PlannedFault strike) {
        var children = new ArrayList<ExactProcess>();
        for (var name : home.evidenceNames())
            for (var child : home.evidenceOf(name).children()) if (child.alive()) children.add(child);
        if (children.isEmpty()) return Optional.empty();
        var chosen = children.get(strike.pick() % children.size());
        chaosTimeline.note("kill_child: " + chosen.pid());
        return Optional.of(chosen);
    }

    private boolean stopped(ExactProcess process, Plan.PlannedFault strike) {
        if (!process.signal("STOP")) return false;
        frozen.add(new FrozenProcess(process, bursts + 1 + strike.amount() % 3));
        return true;
    }

    private boolean full(Plan.PlannedFault strike) {
        chaosTimeline.note("full_disk");
        boolean full = disk.orElseThrow().fill();
        BoundedWait.millis(300 + strike.amount());
        disk.orElseThrow().free();
        chaosTimeline.note("full_disk: space freed");
        return full;
    }

    private boolean slow(Plan.PlannedFault strike) {
        if (!daemonUnderTest.heedsFaults()) return false;
        int millis = 50 + strike.amount() / 4;
        chaosTimeline.note("slow_disk: %d ms".formatted(millis));
        home.faults("slow %dms\n%s\n".formatted(millis, clock));
        BoundedWait.millis(500 + strike.amount());
        home.faults(clock + "\n");
        return true;
    }

    /** The jump stays until the next one, because no promise may depend on the clock. */
    private boolean jump(Plan.PlannedFault strike) {
        if (!daemonUnderTest.heedsFaults()) return false;
        clock = CLOCKS[strike.pick() % CLOCKS.length];
        chaosTimeline.note("clock_jump: " + (clock.isEmpty() ? "back to the real time" : clock));
        home.faults(clock + "\n");
        return true;
    }

    private boolean tear(Plan.PlannedFault strike) {
        if (!daemonUnderTest.kill()) return false;
        return new FileCorruptor(home, harmed, chaosTimeline).corruptOne(strike.pick(), strike.amount());
    }

    /** Ends a burst: continues the processes that were frozen long enough. */
    void thaw() {
        bursts++;
        var due = frozen.stream().filter(one -> one.until() <= bursts).toList();
        due.forEach(one -> one.process().signal("CONT"));
        frozen.removeAll(due);
    }

    /** Ends all lasting faults. */
    void thawAll() {
        frozen.forEach(one -> one.process().signal("CONT"));
        frozen.clear();
        clock = "";
        home.faults("");
        disk.ifPresent(Disk::free);
    }
}
