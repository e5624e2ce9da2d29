package dev.roost.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What is done, in which order and to whom: a function of the seed. When exactly it meets what, is not. */
final class Plan {

    static final List<String> OWNERS = List.of("chaos:ann", "chaos:ben", "chaos:cid");

    /** Never reads: everything that ended must wait for it to the last. */
    static final String SILENT_OWNER = "chaos:dot";

    /** {@code pick}: which of those that can be hit; {@code delay}: milliseconds into the burst; {@code amount}: of 1000. */
    record PlannedFault(Fault fault, int pick, int delay, int amount) {}

    /** A look or a stop by somebody, meanwhile. */
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

    /** Whether these are all kinds of fault there are here. */
    boolean all(Set<Fault> done) {
        return done.containsAll(possible);
    }

    /** {@code live}: how many runs there are; more are begun the fewer there are. */
    FaultBurst next(int live) {
        // everything is drawn, whatever is made of it: the next burst must not depend on how many lived
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

    /** Each kind once before any comes again. */
    private PlannedFault strike() {
        if (bag.isEmpty()) {
            bag.addAll(Arrays.asList(Fault.values()));
            bag.retainAll(possible);
            Collections.shuffle(bag, random);
        }
        return new PlannedFault(bag.removeLast(), random.nextInt(1 << 20), random.nextInt(120), random.nextInt(1000));
    }
}
