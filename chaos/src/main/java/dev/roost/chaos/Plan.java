package dev.roost.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Decides from the seed alone which actions and faults happen, in which order and to which targets. The exact timing varies. */
final class Plan {

    static final List<String> OWNERS = List.of("chaos:ann", "chaos:ben", "chaos:cid");

    /** An owner that never reads, so all its notices must stay pending. */
    static final String SILENT_OWNER = "chaos:dot";

    /** {@code pick} chooses the target; {@code delay}: milliseconds into the burst; {@code amount}: 0 to 999. */
    record PlannedFault(Fault fault, int pick, int delay, int amount) {}

    /** A call by a client meanwhile. */
    record PlannedCall(Verb verb, int pick, boolean byCommand) {}

    enum Verb {
        PS,
        SHOW,
        OUTPUT,
        READ,
        STOP,
        SEND,
        INBOX
    }

    record FaultBurst(List<PlannedRun> tasks, List<PlannedCall> uses, List<PlannedFault> strikes) {}

    private final Random random;
    private final Set<Fault> possible;
    private final boolean worktrees;
    private final boolean escapes;
    private final List<Fault> bag = new ArrayList<>();
    private int tasks;

    Plan(long seed, Set<Fault> possible, boolean worktrees, boolean escapes) {
        this.random = new Random(seed);
        this.possible = possible;
        this.worktrees = worktrees;
        this.escapes = escapes;
    }

    /** Whether all possible kinds of faults were played. */
    boolean all(Set<Fault> done) {
        return done.containsAll(possible);
    }

    /** {@code live}: the number of live runs; the fewer, the more are started. */
    FaultBurst next(int live) {
        // always draws the same count, because the next burst must not depend on how many runs are live
        var drawn = new ArrayList<PlannedRun>();
        for (int i = 0; i < 8; i++) drawn.add(task());
        var uses = new ArrayList<PlannedCall>();
        for (int i = random.nextInt(2, 6); i > 0; i--) uses.add(use());
        var strikes = new ArrayList<PlannedFault>();
        for (int i = random.nextInt(1, 4); i > 0; i--) strikes.add(strike());
        return new FaultBurst(drawn.subList(0, live > 40 ? 2 : live > 24 ? 4 : 8), uses, strikes);
    }

    private PlannedRun task() {
        var jobs = PlannedRun.Job.values();
        var job = jobs[random.nextInt(jobs.length)];
        int owner = random.nextInt(OWNERS.size() + 1);
        int tenths = random.nextInt(30);
        int exit = random.nextInt(4) == 0 ? random.nextInt(1, 100) : 0;
        boolean worktree = random.nextInt(5) == 0 && worktrees;
        boolean byCommand = random.nextInt(8) == 0;
        return new PlannedRun(
                "w" + ++tasks,
                owner < OWNERS.size() ? OWNERS.get(owner) : SILENT_OWNER,
                job == PlannedRun.Job.ESCAPES && !escapes ? PlannedRun.Job.FORKS : job,
                tenths,
                exit,
                worktree,
                byCommand);
    }

    private PlannedCall use() {
        var verbs = Verb.values();
        return new PlannedCall(verbs[random.nextInt(verbs.length)], random.nextInt(1 << 20), random.nextInt(4) == 0);
    }

    /** Plays each kind once before it repeats one. */
    private PlannedFault strike() {
        if (bag.isEmpty()) {
            bag.addAll(Arrays.asList(Fault.values()));
            bag.retainAll(possible);
            Collections.shuffle(bag, random);
        }
        return new PlannedFault(bag.removeLast(), random.nextInt(1 << 20), random.nextInt(120), random.nextInt(1000));
    }
}
