package dev.roost.service.testing;

import dev.roost.model.Cause;
import dev.roost.model.Status;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The agents of a schedule: the script of each, and its outcome if no action ends it. */
enum ScheduleAgentKind {
    QUICK("echo done", Status.COMPLETED, Cause.FINISHED, "done\n"),
    SILENT("true", Status.COMPLETED_EMPTY, Cause.FINISHED, ""),
    FAILING("echo half; echo broken >&2; exit 3", Status.FAILED, Cause.EXIT_CODE, "half\n"),
    SUICIDAL("echo last words; kill -9 $$", Status.FAILED, Cause.SIGNAL, "last words\n"),
    LIKE_A_SIGNAL("exit 137", Status.FAILED, Cause.EXIT_CODE, ""),
    TALKING(
            "i=0; while [ $i -lt 25 ]; do i=$((i+1)); echo line $i; sleep 0.01; done; true", // "true": its last sleep
            // may be killed
            Status.COMPLETED,
            Cause.FINISHED,
            IntStream.rangeClosed(1, 25).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining())),
    FLOODING(
            "exec seq 1 60000",
            Status.COMPLETED,
            Cause.FINISHED,
            IntStream.rangeClosed(1, 60000).mapToObj(i -> i + "\n").collect(Collectors.joining())),
    WAITING("echo began; WAIT; echo opened", Status.COMPLETED, Cause.FINISHED, "began\nopened\n"),
    STUBBORN("trap '' TERM; echo began; WAIT; echo opened", Status.COMPLETED, Cause.FINISHED, "began\nopened\n"),
    POLITE("trap 'exit 0' TERM; echo began; WAIT; echo opened", Status.COMPLETED, Cause.FINISHED, "began\nopened\n"),
    FAILING_LATE("echo began; WAIT; exit 4", Status.FAILED, Cause.EXIT_CODE, "began\n"),
    LEAVING_A_CHILD("sleep 1000 & WAIT; echo left it", Status.COMPLETED, Cause.FINISHED, "left it\n"),
    LEAVING_A_STRANGER(
            "setsid env -i /bin/sleep 1000 & WAIT; echo left it", Status.COMPLETED, Cause.FINISHED, "left it\n"),
    WRITING_A_RESULT(
            "WAIT; printf 'the answer' > \"$ROOST_RESULT_FILE\"", Status.COMPLETED, Cause.FINISHED, "the answer");

    /** Each attempt that reaches its first instruction adds one line to this file. */
    private static final String COUNT = "echo x >> \"$SCRATCH/count-$ROOST_RUN_ID-$ROOST_ATTEMPT\"; ";

    private static final String WAIT = "while [ ! -e \"$GATE\" ]; do sleep 0.1; done";

    private final String script;
    final Status status;
    final Cause cause;
    final String result;

    ScheduleAgentKind(String script, Status status, Cause cause, String result) {
        this.script = script;
        this.status = status;
        this.cause = cause;
        this.result = result;
    }

    String script() {
        return COUNT + script.replace("WAIT", WAIT);
    }

    /** Whether it ends only after its gate is opened. */
    boolean gated() {
        return script.contains("WAIT");
    }
}
