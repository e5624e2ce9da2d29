package dev.roost.chaos;

import dev.roost.chaos.promise.Promise;
import dev.roost.chaos.promise.RunFact;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Plays bursts of work and faults, and checks all promises after each burst. Ends at the first violation. */
public final class Chaos {

    /** How long a daemon may take to restart, in seconds. */
    private static final double MOST_RESTART_SECONDS = 30;

    private final ChaosSession session;
    private final long seed;
    private final Consumer<String> progress;
    private final Inspector inspector;
    private final ClientLoad load;
    private final FaultInjector injector;
    private final Optional<Disk> disk;
    private final Map<String, String> skipped = new LinkedHashMap<>();
    private volatile boolean interrupted;

    /** {@code noDisk}: why the home has no filesystem of its own that can be filled; empty if it has one. */
    public Chaos(ChaosHome home, RoostAccess access, long seed, Optional<String> noDisk, Consumer<String> progress) {
        this.session = new ChaosSession(home, access);
        this.seed = seed;
        this.progress = progress;
        this.disk = noDisk.isPresent() ? Optional.empty() : Optional.of(new Disk(home.home()));
        noDisk.ifPresent(why -> skipped.put(Fault.FULL_DISK.word(), why));
        this.inspector = new Inspector(session);
        this.load = new ClientLoad(session, inspector);
        this.injector = new FaultInjector(session, disk, load);
    }

    /** Ends the run of faults as soon as possible. */
    public void interrupt() {
        interrupted = true;
    }

    public boolean interrupted() {
        return interrupted;
    }

    public Verdict play(double seconds) throws IOException {
        session.home.prepare();
        var plan = plan();
        awaitCalm("starting");
        // plays each kind of fault at least once, even if the time is short or the machine slow
        double latest = Math.max(seconds, Math.min(seconds + 60, 4 * seconds));
        while (!over()
                && (session.now() < seconds || (!plan.all(injector.counts().keySet()) && session.now() < latest)))
            burst(plan.next(live()));
        if (!over()) finish();
        return new Verdict(
                seed,
                session.now(),
                injector.counts(),
                inspector.latest().size(),
                inspector.latest().size() - live(),
                inspector.notices(),
                session.checker.violations(),
                session.timeline(),
                skipped,
                Optional.empty());
    }

    private boolean over() {
        return interrupted || !session.checker.violations().isEmpty();
    }

    private Plan plan() {
        var possible = EnumSet.allOf(Fault.class);
        if (disk.isPresent() && !disk.get().works())
            skipped.put(Fault.FULL_DISK.word(), "the home's filesystem cannot be resized");
        if (skipped.containsKey(Fault.FULL_DISK.word())) possible.remove(Fault.FULL_DISK);
        boolean hasGit = session.home.repositoryMade();
        if (!hasGit) skipped.put("worktrees", "git is not installed");
        boolean reliable = hasReliableProcessTrees();
        if (!reliable) skipped.put("escapes", "process trees are not reliable on this machine (see roost doctor)");
        return new Plan(seed, possible, hasGit, reliable);
    }

    private boolean hasReliableProcessTrees() {
        for (var finding : session.call(RoostAccess.OPERATOR, "doctor").body().path("findings"))
            if (finding.path("what").asString().equals("process trees"))
                return finding.path("level").asString().equals("good");
        return false;
    }

    private int live() {
        return (int)
                inspector.latest().stream().filter(run -> !run.has("ended_at")).count();
    }

    private void burst(Plan.FaultBurst burst) {
        var later = burst.strikes().stream()
                .filter(strike -> strike.fault() == Fault.TORN_FILE)
                .toList();
        burst.tasks().forEach(load::beginSoon);
        burst.uses().forEach(load::useSoon);
        for (var strike : burst.strikes()) if (!later.contains(strike)) strike(strike);
        // files are torn while no command can start a daemon, because it must not write where they are damaged
        if (!later.isEmpty()) load.awaitIdle();
        later.forEach(this::strike);
        injector.thaw();
        awaitCalm("checking all runs");
    }

    private void strike(Plan.PlannedFault strike) {
        BoundedWait.millis(strike.delay());
        report(strike.fault().word().replace('_', ' '));
        injector.hit(strike);
    }

    /** Checks until all promises hold, or one was broken for longer than its grace. */
    private void awaitCalm(String doing) {
        report(doing);
        double asked = session.now();
        while (!interrupted && !inspector.isAnswered()) {
            if (silentSince(asked, "it does not restart")) return;
            BoundedWait.millis(100);
        }
        double calm = session.now();
        while (!interrupted && !inspector.isInOrder(session.now(), calm)) {
            if (silentSince(calm, "it does not answer")) return;
            BoundedWait.millis(50);
        }
    }

    private boolean silentSince(double since, String what) {
        boolean late = session.now() - since > MOST_RESTART_SECONDS;
        if (late) session.see(new RunFact.Answer(Promise.ACCEPTED_IS_DURABLE, "", "the daemon", what, "it answers"));
        return late;
    }

    private void finish() {
        report("ending all runs");
        injector.thawAll();
        load.awaitIdle();
        awaitCalm("ending all runs");
        var audit = new FinalAudit(session, inspector);
        audit.stopAll();
        inspector.forget();
        awaitCalm("final audit");
        audit.compare();
    }

    private void report(String doing) {
        int faults =
                injector.counts().values().stream().mapToInt(Integer::intValue).sum();
        progress.accept("%.0f s · %d faults · %d runs, %d live · %s"
                .formatted(session.now(), faults, inspector.latest().size(), live(), doing));
    }
}
