package dev.roost.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Injects the faults. A fault is counted only if it hit a process or file. */
final class FaultInjector {

    private static final String[] CLOCKS = {"clock +1h", "clock -30m", "clock +26h", "clock -3h", ""};

    /** Continued after so many bursts. */
    private record FrozenProcess(ExactProcess process, int until) {}

    private final ChaosSession session;
    private final Optional<Disk> disk;
    private final DaemonUnderTest daemon;
    private final ClientLoad load;
    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private final List<FrozenProcess> frozen = new ArrayList<>();
    private String clock = "";
    private int bursts;

    FaultInjector(ChaosSession session, Optional<Disk> disk, ClientLoad load) {
        this.session = session;
        this.disk = disk;
        this.daemon = new DaemonUnderTest(session);
        this.load = load;
    }

    Map<Fault, Integer> counts() {
        return counts;
    }

    void hit(Plan.PlannedFault strike) {
        boolean hit = switch (strike.fault()) {
            case KILL_DAEMON -> daemon.kill();
            case FREEZE_DAEMON -> daemon.freeze(200 + strike.amount());
            case KILL_PERCH ->
                attempt(strike)
                        .filter(attempt -> harmed(attempt).perch().kill())
                        .isPresent();
            case KILL_AGENT ->
                attempt(strike)
                        .filter(attempt -> harmed(attempt).agent().kill())
                        .isPresent();
            case KILL_CHILD -> child(strike).filter(ExactProcess::kill).isPresent();
            case FREEZE_PERCH ->
                attempt(strike)
                        .filter(attempt -> stopped(attempt.perch(), strike))
                        .isPresent();
            case FREEZE_AGENT ->
                attempt(strike)
                        .filter(attempt -> stopped(attempt.agent(), strike))
                        .isPresent();
            case FULL_DISK -> full(strike);
            case SLOW_DISK -> slow(strike);
            case CLOCK_JUMP -> jump(strike);
            case TORN_FILE -> tear(strike);
            case MANY_CLIENTS -> load.startBurst(strike.pick());
        };
        if (hit) counts.merge(strike.fault(), 1, Integer::sum);
        else session.note(strike.fault().word() + ": no target");
    }

    private Optional<ChaosHome.LiveAttempt> attempt(Plan.PlannedFault strike) {
        var live = session.home.live();
        if (live.isEmpty()) return Optional.empty();
        var chosen = live.get(strike.pick() % live.size());
        session.note("%s: %s, perch %d, agent %d"
                .formatted(
                        strike.fault().word(),
                        chosen.runId(),
                        chosen.perch().pid(),
                        chosen.agent().pid()));
        return Optional.of(chosen);
    }

    private ChaosHome.LiveAttempt harmed(ChaosHome.LiveAttempt attempt) {
        session.harmed.add(attempt.runId());
        return attempt;
    }

    private Optional<ExactProcess> child(Plan.PlannedFault strike) {
        var children = new ArrayList<ExactProcess>();
        for (var name : session.home.evidenceNames())
            for (var child : session.home.evidenceOf(name).children()) if (child.alive()) children.add(child);
        if (children.isEmpty()) return Optional.empty();
        var chosen = children.get(strike.pick() % children.size());
        session.note("kill_child: " + chosen.pid());
        return Optional.of(chosen);
    }

    private boolean stopped(ExactProcess process, Plan.PlannedFault strike) {
        if (!process.signal("STOP")) return false;
        frozen.add(new FrozenProcess(process, bursts + 1 + strike.amount() % 3));
        return true;
    }

    private boolean full(Plan.PlannedFault strike) {
        session.note("full_disk");
        boolean full = disk.orElseThrow().fill();
        BoundedWait.millis(300 + strike.amount());
        disk.orElseThrow().free();
        session.note("full_disk: space freed");
        return full;
    }

    private boolean slow(Plan.PlannedFault strike) {
        if (!daemon.heedsFaults()) return false;
        int millis = 50 + strike.amount() / 4;
        session.note("slow_disk: %d ms".formatted(millis));
        session.home.faults("slow %dms\n%s\n".formatted(millis, clock));
        BoundedWait.millis(500 + strike.amount());
        session.home.faults(clock + "\n");
        return true;
    }

    /** The jump stays until the next one, because no promise may depend on the clock. */
    private boolean jump(Plan.PlannedFault strike) {
        if (!daemon.heedsFaults()) return false;
        clock = CLOCKS[strike.pick() % CLOCKS.length];
        session.note("clock_jump: " + (clock.isEmpty() ? "back to the real time" : clock));
        session.home.faults(clock + "\n");
        return true;
    }

    private boolean tear(Plan.PlannedFault strike) {
        if (!daemon.kill()) return false;
        return new FileCorruptor(session).corruptOne(strike.pick(), strike.amount());
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
        session.home.faults("");
        disk.ifPresent(Disk::free);
    }
}
