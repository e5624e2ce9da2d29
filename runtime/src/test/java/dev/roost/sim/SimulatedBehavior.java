package dev.roost.sim;

import dev.roost.agents.FinalReport;
import dev.roost.model.Cause;
import dev.roost.model.Exit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a simulated agent does, act by act, and how its process ends after that.
 *
 * @param busyChild a child uses the processor all the time
 * @param killsItsPerch it takes its perch with it, so nothing records the exit
 * @param setupFails the setup of its worktree fails, so the agent never begins
 */
record SimulatedBehavior(
        List<Act> acts,
        Exit exit,
        boolean ignoresTerm,
        boolean leavesChild,
        boolean busyChild,
        boolean outOfMemory,
        boolean killsItsPerch,
        boolean setupFails) {

    sealed interface Act {
        record BeSilent(long nanos) implements Act {}

        record Speak() implements Act {}

        record UseTokens(long tokens) implements Act {}

        record Ask() implements Act {}

        /** {@code reset}: until the end of the provider's limit, if it is one. */
        record Report(FinalReport report, Duration reset) implements Act {}

        record StayForever() implements Act {}
    }

    static final Exit SUCCESS = new Exit(0, false);
    private static final long CHATTER = 300 * Simulation.MILLI;
    private static final long SLOW_CHATTER = 800 * Simulation.MILLI;
    private static final long LONG = 25 * Simulation.SECOND; // longer than the judge gives a stop
    private static final Exit FAILURE = new Exit(1, false);
    private static final Exit CRASH = new Exit(139, true);
    private static final Exit KILLED = new Exit(137, true);
    private static final Act DONE = new Act.Report(new FinalReport.Success("done"), Duration.ZERO);

    /** What the run as a whole is about. */
    enum Plot {
        COMMAND,
        AGENT,
        LONG,
        OVER_TIME,
        OVER_TOKENS,
        ASKS,
        SILENT,
        SILENT_WITH_BUSY_CHILD,
        LOST_EVERY_TIME,
        OUT_OF_MEMORY,
        SETUP_FAILS;

        boolean isCommand() {
            return this == COMMAND;
        }
    }

    static SimulatedBehavior of(Plot plot, Simulation simulation) {
        long works = simulation.randomBelow(2 * Simulation.SECOND);
        return switch (plot) {
            case COMMAND -> command(works, simulation);
            case AGENT -> agent(works, simulation);
            case LONG, OVER_TIME -> simple(simulation, longChatter(DONE), SUCCESS);
            case OVER_TOKENS -> {
                var acts = chatter(works, new Act.UseTokens(150), DONE);
                acts.addAll(acts.size() - 1, longChatter());
                yield simple(simulation, acts, SUCCESS);
            }
            case ASKS -> simple(simulation, List.of(new Act.BeSilent(CHATTER), new Act.Ask(), DONE), SUCCESS);
            case SILENT -> simple(simulation, List.of(new Act.Speak(), new Act.StayForever()), SUCCESS);
            case SILENT_WITH_BUSY_CHILD ->
                new SimulatedBehavior(
                        List.of(new Act.BeSilent(4 * Simulation.SECOND), DONE),
                        SUCCESS,
                        false,
                        false,
                        true,
                        false,
                        false,
                        false);
            case LOST_EVERY_TIME ->
                new SimulatedBehavior(chatter(works / 8), CRASH, false, false, false, false, true, false);
            case OUT_OF_MEMORY ->
                new SimulatedBehavior(
                        chatter(works / 4), KILLED, false, simulation.oneIn(4), false, true, false, false);
            case SETUP_FAILS -> new SimulatedBehavior(List.of(), SUCCESS, false, false, false, false, false, true);
        };
    }

    private static SimulatedBehavior command(long works, Simulation simulation) {
        int kind = simulation.random.nextInt(8);
        var exit = kind == 0 ? FAILURE : kind == 1 ? CRASH : SUCCESS;
        return simple(simulation, List.of(new Act.BeSilent(works)), exit);
    }

    private static SimulatedBehavior agent(long works, Simulation simulation) {
        return switch (simulation.random.nextInt(8)) {
            case 0 -> simple(simulation, chatter(works, DONE, new Act.StayForever()), SUCCESS);
            case 1 -> simple(simulation, chatter(works, DONE), FAILURE);
            case 2 -> simple(simulation, chatter(works, DONE, new Act.BeSilent(CHATTER)), CRASH);
            case 3, 4 ->
                simple(
                        simulation,
                        chatter(
                                works,
                                new Act.Report(
                                        new FinalReport.Failure(Cause.RATE_LIMITED, "limited"), Duration.ofSeconds(3))),
                        FAILURE);
            case 5 -> simple(simulation, chatter(works), SUCCESS);
            case 6 -> simple(simulation, chatter(works), CRASH);
            default -> simple(simulation, chatter(works, DONE), SUCCESS);
        };
    }

    private static SimulatedBehavior simple(Simulation simulation, List<Act> acts, Exit exit) {
        return new SimulatedBehavior(acts, exit, simulation.oneIn(4), simulation.oneIn(4), false, false, false, false);
    }

    private static List<Act> longChatter(Act... then) {
        return chatter(LONG, SLOW_CHATTER, then);
    }

    private static List<Act> chatter(long nanos, Act... then) {
        return chatter(nanos, CHATTER, then);
    }

    private static List<Act> chatter(long nanos, long every, Act... then) {
        var acts = new ArrayList<Act>();
        for (long left = nanos; left > 0; left -= every) {
            acts.add(new Act.BeSilent(Math.min(left, every)));
            acts.add(new Act.Speak());
        }
        acts.addAll(List.of(then));
        return acts;
    }
}
