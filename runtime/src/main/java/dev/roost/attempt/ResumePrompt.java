package dev.roost.attempt;

import dev.roost.agents.AgentState;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.RunEvent;

/** Builds the prompt that tells an interrupted agent to continue, and the remark that its output gets. */
final class ResumePrompt {

    private ResumePrompt() {}

    static String prompt(RunEvent how, AgentState state, RunRecord run) {
        return describe(how) + describeCheckpoint(run) + describeRunningTools(how, state);
    }

    private static String describe(RunEvent how) {
        return switch (how) {
            case RunEvent.Parked _ ->
                "You were interrupted because the model's provider limited your use. That is over now. Go on with your task"
                        + " where you left off.";
            case RunEvent.Lost(var cause, var _) ->
                "You were interrupted: %s. Everything you had started was ended. Go on with your task where you left off, and"
                                .formatted(cause.inWords())
                        + " look at the state of things before you repeat anything.";
            default -> throw new IllegalArgumentException(how + " interrupts nothing");
        };
    }

    /** Tells the agent that its worktree is restored, and where to find its checkpoints. */
    private static String describeCheckpoint(RunRecord run) {
        if (run.work().isEmpty()) return "";
        return "\n\nYou are in your own worktree again, with your files as of the last checkpoint, uncommitted ones too. Each"
                + " checkpoint of it is a commit: git for-each-ref refs/roost/%s/".formatted(run.id());
    }

    private static String describeRunningTools(RunEvent how, AgentState state) {
        boolean nodeLost = how instanceof RunEvent.Lost(var cause, var _) && cause == Cause.WORKER_LOST;
        if (nodeLost)
            return "\n\nThe machine you worked on was lost, and you go on on another one or after its return. What you had in"
                    + " flight, and what you did last, may or may not have taken effect, and this conversation may lack its"
                    + " last moments.";
        if (state.tools().isEmpty()) return "";
        return "\n\nIn flight at that moment, outcome unknown, it may or may not have taken effect:\n- "
                + String.join("\n- ", state.tools().values());
    }

    static String remark(RunEvent how) {
        return switch (how) {
            case RunEvent.Parked(var until) ->
                "interrupted: the model's provider limited its rate; parked until " + until;
            case RunEvent.Lost(var cause, var _) -> "interrupted: " + cause.inWords() + "; it will be resumed";
            default -> throw new IllegalArgumentException(how + " interrupts nothing");
        };
    }
}
