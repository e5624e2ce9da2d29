package dev.roost.attempt.core;

import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.model.Question;
import dev.roost.model.RunEvent;
import dev.roost.model.StopReason;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** One thing to do for an attempt. Doing it again after an error does no harm. */
public sealed interface AttemptAction {

    /** Finds the perch that an earlier daemon launched, or makes sure that none can start any more. */
    record FindPerch() implements AttemptAction {}

    record LaunchPerch() implements AttemptAction {}

    /** Lets the exit of the perch wake the loop. */
    record WatchPerch(ProcessId perch) implements AttemptAction {}

    /** The perch died before its agent began; the next one is a new one. */
    record ForgetPerch() implements AttemptAction {}

    /** {@code alive}: the processes are of this boot, so they can be tracked. */
    record RecordStart(StartedProcesses started, boolean alive) implements AttemptAction {}

    record NoteReattached() implements AttemptAction {}

    /** Sends SIGCONT: a stopped perch can record neither start nor exit. */
    record ResumePerch(ProcessId perch) implements AttemptAction {}

    record RequestStop(StopReason reason) implements AttemptAction {}

    record TerminateAgent(ProcessId agent) implements AttemptAction {}

    /** Kills every process but the perch, which stays to record the exit. */
    record KillAllBut(ProcessId perch) implements AttemptAction {}

    record KillPerch(ProcessId perch) implements AttemptAction {}

    record KillAll() implements AttemptAction {}

    /** Kills the processes of an attempt that another node has. */
    record KillFenced() implements AttemptAction {}

    record SampleProcessor(Set<ProcessId> own) implements AttemptAction {}

    /** Makes the result of the final report readable while the process is still there. */
    record CollectResult() implements AttemptAction {}

    record SetPhase(Phase phase) implements AttemptAction {}

    record PostTimeoutAnswer(Question question, Duration timeout) implements AttemptAction {}

    /** Kills what is left, reads the output to its end and collects the result. */
    record CollectRemains(Optional<Exit> exit) implements AttemptAction {}

    /** Commits the end, after it has prepared the next attempt if there is one. */
    record Finish(RunEvent how, Optional<String> note, EndKind kind) implements AttemptAction {}

    /** What the record of an end takes its time and its result from. */
    enum EndKind {
        /** From the exit record, with a result. */
        EXITED,
        /** From the moment when the loss was seen, with a result. */
        VANISHED,
        /** From now, without a result: another node continues it, so what that needs must be uploaded first. */
        MOVED,
        /** Without a result: its agent never began. */
        NOT_STARTED
    }
}
