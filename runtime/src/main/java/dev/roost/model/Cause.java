package dev.roost.model;

import java.util.Locale;

/** Why an attempt ended: a closed list, so that programs need not parse sentences. */
public enum Cause {
    FINISHED("it finished"),
    AGENT_ERROR("the agent reported an error"),
    REFUSED("the model refused the task"),
    PERMISSION_DENIED("it was not allowed to do what it needed"),
    EXIT_CODE("it exited with an error status"),
    SIGNAL("it was killed by a signal"),
    CUT_SHORT("it stopped without a final report"),
    OUT_OF_MEMORY("the kernel killed it because memory ran out"),
    SPAWN_FAILED("it could not be started"),
    BUDGET_TIME("it used up its time budget"),
    BUDGET_TOKENS("it used up its token budget"),
    BUDGET_COST("it used up its cost budget"),
    BUDGET_TURNS("it used up its turns"),
    BUDGET_OUTPUT("it wrote more output than allowed"),
    BUDGET_DAY("its owner's budget for the day is used up"),
    BUDGET_QUIET("it was quiet for longer than allowed"),
    STOPPED("it was stopped"),
    HOST_REBOOT("the machine restarted under it"),
    PERCH_LOST("its processes vanished without an exit record"),
    WORKER_LOST("its machine was lost"),
    RATE_LIMITED("the model's provider limited its rate"),
    OVER_CAPACITY("there was no free slot for it");

    private final String words;

    Cause(String words) {
        this.words = words;
    }

    /** For a sentence: "failed: it exited with an error status". */
    public String inWords() {
        return words;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Cause of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
