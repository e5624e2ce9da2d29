package dev.roost.cli.view;

/** Causes in words. */
public final class CauseText {

    private CauseText() {}

    public static String of(String cause) {
        return switch (cause) {
            case "finished" -> "it finished";
            case "agent_error" -> "the agent reported an error";
            case "refused" -> "the model refused the task";
            case "permission_denied" -> "it was not allowed to do what it needed";
            case "exit_code" -> "it exited with an error status";
            case "signal" -> "it was killed by a signal";
            case "cut_short" -> "it stopped without a final report";
            case "out_of_memory" -> "the kernel killed it because memory ran out";
            case "spawn_failed" -> "it could not be started";
            case "budget_time" -> "it used up its time budget";
            case "budget_tokens" -> "it used up its token budget";
            case "budget_cost" -> "it used up its cost budget";
            case "budget_turns" -> "it used up its turns";
            case "budget_output" -> "it wrote more output than allowed";
            case "budget_day" -> "its owner's budget for the day is used up";
            case "budget_quiet" -> "it was quiet for longer than allowed";
            case "stopped" -> "it was stopped";
            case "host_reboot" -> "the machine restarted under it";
            case "perch_lost" -> "its processes vanished without an exit record";
            case "worker_lost" -> "its machine was lost";
            case "rate_limited" -> "the model's provider limited its rate";
            case "over_capacity" -> "there was no free slot for it";
            default -> cause; // unknown: from a newer daemon
        };
    }
}
