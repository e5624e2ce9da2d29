package dev.roost.cli.chaos;

import dev.roost.cli.chaos.Violation.Count;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Burst after burst of work and faults, and after each everything is looked at. It ends with the first promise broken. */
public final class Chaos {

    /** How long a daemon may take to come back. */
    private static final double RETURN = 30;

    private final Scene scene;
    private final Door door;
    private final long seed;
    private final Consumer<String> progress;
    private final Timeline timeline = new Timeline();
    private final Set<String> harmed = ConcurrentHashMap.newKeySet();
    private final Judge judge = new Judge();
    private final Inspector inspector;
    private final Starter starter;
    private final Crowd crowd;
    private final Strikes strikes;
    private final Optional<Disk> disk;
    private final Map<String, String> skipped = new LinkedHashMap<>();
    private volatile boolean interrupted;

    /** {@code noDisk}: why the home has no filesystem of its own that can be filled; empty if it has. */
    public Chaos(Scene scene, Door door, long seed, Optional<String> noDisk, Consumer<String> progress) {
        this.scene = scene;
        this.door = door;
        this.seed = seed;
        this.progress = progress;
        this.disk = noDisk.isPresent() ? Optional.empty() : Optional.of(new Disk(scene.home()));
        noDisk.ifPresent(why -> skipped.put(Fault.FULL_DISK.word(), why));
        this.inspector = new Inspector(scene, door, harmed);
        this.starter = new Starter(scene, door, judge, timeline);
        this.crowd = new Crowd(starter, door, inspector, judge, harmed, timeline);
        this.strikes = new Strikes(scene, disk, new Daemon(door, timeline), harmed, timeline, crowd);
    }

    /** It ends as soon as it can. */
    public void interrupt() {
        interrupted = true;
    }

    public boolean interrupted() {
        return interrupted;
    }

    public Verdict play(double seconds) throws IOException {
        scene.set();
        var plan = plan();
        settle("begins");
        // each kind at least once, also where the time was short or the machine slow
        double latest = Math.max(seconds, Math.min(seconds + 60, 4 * seconds));
        while (!over()
                && (timeline.now() < seconds || (!plan.all(strikes.counts().keySet()) && timeline.now() < latest)))
            burst(plan.next(live()));
        if (!over()) finish();
        double took = timeline.now();
        var told = timeline.entries().stream()
                .map(entry -> String.format(Locale.ROOT, "%8.3f  %s", entry.at(), entry.what()))
                .toList();
        int ends = (int)
                inspector.latest().stream().filter(run -> run.has("ended_at")).count();
        return new Verdict(
                seed,
                took,
                strikes.counts(),
                inspector.latest().size(),
                ends,
                inspector.notices(),
                judge.violations(),
                told,
                skipped,
                Optional.empty());
    }

    private boolean over() {
        return interrupted || !judge.violations().isEmpty();
    }

    private Plan plan() {
        var possible = EnumSet.allOf(Fault.class);
        if (disk.isPresent() && !disk.get().works())
            skipped.put(Fault.FULL_DISK.word(), "the home's filesystem cannot be made small");
        if (skipped.containsKey(Fault.FULL_DISK.word())) possible.remove(Fault.FULL_DISK);
        boolean git = scene.repositoryMade();
        if (!git) skipped.put("worktrees", "there is no git");
        boolean certain = certainTrees();
        if (!certain)
            skipped.put("escapes", "this machine gives no means to be sure of process trees (see roost doctor)");
        return new Plan(seed, possible, git, certain);
    }

    private boolean certainTrees() {
        for (var finding :
                door.ask(Door.OPERATOR, "doctor", Inspector.params()).body().path("findings"))
            if (finding.path("what").asString().equals("process trees"))
                return finding.path("level").asString().equals("good");
        return false;
    }

    private int live() {
        return (int)
                inspector.latest().stream().filter(run -> !run.has("ended_at")).count();
    }

    private void burst(Plan.Burst burst) {
        var later = burst.strikes().stream()
                .filter(strike -> strike.fault() == Fault.TORN_FILE)
                .toList();
        burst.tasks().forEach(crowd::beginSoon);
        burst.uses().forEach(crowd::useSoon);
        for (var strike : burst.strikes()) if (!later.contains(strike)) strike(strike);
        // files are torn while nobody is there to start a daemon: it must not write where they are damaged
        if (!later.isEmpty()) crowd.disperse();
        later.forEach(this::strike);
        strikes.thaw();
        settle("looking at everything");
    }

    private void strike(Plan.Strike strike) {
        Waiting.millis(strike.delay());
        tell(strike.fault().word().replace('_', ' '));
        strikes.hit(strike);
    }

    /** Until all is in order, or was out of it for longer than promised. */
    private void settle(String doing) {
        tell(doing);
        double asked = timeline.now();
        var first = look(asked, asked);
        while (first.isEmpty() && timeline.now() - asked < RETURN && !interrupted) {
            Waiting.millis(100);
            first = look(timeline.now(), asked);
        }
        if (first.isEmpty()) {
            if (!interrupted) judge.convict(1, Count.LOST, "", "the daemon does not come back", timeline.now());
            return;
        }
        double calm = timeline.now();
        for (var look = first; !interrupted; look = look(timeline.now(), calm)) {
            if (look.isPresent() && judge.look(look.get())) {
                inspector.settle(look.get());
                return;
            }
            if (timeline.now() - calm > RETURN) {
                judge.convict(1, Count.LOST, "", "the daemon does not answer", timeline.now());
                return;
            }
            Waiting.millis(50);
        }
    }

    private Optional<Look> look(double at, double calm) {
        return inspector.look(at, calm);
    }

    private void finish() {
        tell("bringing everybody home");
        strikes.thawAll();
        crowd.disperse();
        settle("bringing everybody home");
        var finale = new Finale(scene, door, inspector, judge, starter.refused(), harmed, timeline);
        finale.stopAll();
        inspector.forget();
        settle("comparing the books");
        finale.compare();
    }

    private void tell(String doing) {
        int faults =
                strikes.counts().values().stream().mapToInt(Integer::intValue).sum();
        progress.accept("%.0f s · %d faults · %d runs, %d live · %s"
                .formatted(timeline.now(), faults, inspector.latest().size(), live(), doing));
    }
}
