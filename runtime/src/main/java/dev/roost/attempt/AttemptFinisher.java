package dev.roost.attempt;

import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Cause;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.Outcome;
import dev.roost.model.RunEvent;
import dev.roost.model.StopReason;
import dev.roost.os.Processes;
import dev.roost.output.ResultCollector;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Finds out what an attempt's end was, and commits it: with its evidence, its result, and its successor if it has one. */
final class AttemptFinisher {

    private static final int MOST_PACKINGS = 10;
    private static final Duration FLUSHED_WITHIN = Duration.ofSeconds(2);
    private static final System.Logger LOG = System.getLogger(AttemptFinisher.class.getName());

    private static final Duration A_NAP = Duration.ofSeconds(1);
    private static final int STDERR_TAIL = 4096;
    private static final int SIGKILL = 9;

    private final RuntimeContext context;
    private final RunRecord run;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ActiveTime time;
    private final AgentConversation conversation;
    private final long outOfMemoryKills = Processes.outOfMemoryKills();
    private boolean leaving; // this node, so what it takes along must be there before it ends here
    private int packings;
    private boolean remarked; // that it was interrupted; what follows may have to be tried again

    AttemptFinisher(
            RuntimeContext context,
            RunRecord run,
            Driver driver,
            AttemptDirectory directory,
            ActiveTime time,
            AgentConversation conversation) {
        this.context = context;
        this.run = run;
        this.driver = driver;
        this.directory = directory;
        this.time = time;
        this.conversation = conversation;
    }

    /** What is known of the attempt; {@code witnessed} if it ended before our eyes: else no clock tells how long it took. */
    Evidence evidence(Optional<StartedProcesses> began, boolean witnessed) {
        String stderr;
        try {
            stderr = PrivateFiles.tail(directory.err(), STDERR_TAIL);
        } catch (IOException e) {
            stderr = "";
        }
        var seen = began.filter(_ -> witnessed);
        return new Evidence(
                Optional.empty(),
                began.map(StartedProcesses::agent),
                began.map(StartedProcesses::bootId),
                directory.lastSignOfLife(),
                seen.map(_ -> time.active()),
                seen.map(known -> Duration.ofNanos(context.clock().sleptNanos() - known.sleptNanos()))
                        .filter(slept -> slept.compareTo(A_NAP) > 0),
                stderr,
                List.of(),
                Optional.empty());
    }

    /** Its perch recorded how it ended, and nothing of it is left. */
    void exited(Exit exit, Evidence evidence) throws IOException {
        conversation.drain(Optional.of(exit));
        var last = conversation.finalReport();
        var result = result(last);
        boolean outOfMemory = last.isEmpty() && killedForMemory(exit);
        var setup = directory.setup().failed();
        if (setup.isPresent()) {
            setupFailed(setup.get(), evidence);
            return;
        }
        var outcome = driver.outcomeOf(exit, last, result.bytes() > 0);
        RunEvent how = new RunEvent.Exited(outcome);
        if (outOfMemory) how = lost(Cause.OUT_OF_MEMORY);
        else if (outcome.cause() == Cause.RATE_LIMITED && AttemptPreparation.canContinue(context, run))
            how = new RunEvent.Parked(RateLimitDelay.until(context, run, conversation.agentState()));
        var why = last.isPresent() && last.get() instanceof FinalReport.Failure(var _, var words)
                ? evidence.withNote(words)
                : evidence;
        commit(how, directory.endedAt().orElseGet(context.clock()::now), why, result);
    }

    /** It vanished without a record; but it may have said its last word before. */
    void vanished(Cause cause, Evidence evidence) throws IOException {
        conversation.drain(Optional.empty());
        var last = conversation.finalReport();
        var result = result(last);
        var how = last.isPresent()
                ? new RunEvent.Exited(driver.outcomeOf(new Exit(0, false), last, result.bytes() > 0))
                : lost(cause);
        commit(how, context.clock().now(), evidence, result);
    }

    /** Its node is emptied: it goes on elsewhere, unless it came to an end of its own before it was stopped. */
    void moved(Optional<Exit> exit, Evidence evidence) throws IOException {
        leaving = true;
        conversation.drain(exit);
        if (conversation.finalReport().isPresent() && conversation.finalReport().get() instanceof FinalReport.Success) {
            exited(new Exit(0, false), evidence); // by what it said: how it was stopped says nothing of it
            return;
        }
        commit(
                new RunEvent.Lost(Cause.WORKER_LOST, true),
                context.clock().now(),
                evidence.withNote("the operator emptied its node %s; it goes on elsewhere"
                        .formatted(context.cluster().self())),
                AttemptResult.none());
    }

    /** Whether it may be stopped in order to go on elsewhere. */
    boolean canBeMoved() {
        return run.resumeOnLoss() && AttemptPreparation.canContinue(context, run);
    }

    void notStarted(Exception because, Evidence evidence) throws IOException {
        commit(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                context.clock().now(),
                evidence.withNote("it could not be started: " + because.getMessage()),
                AttemptResult.none());
    }

    /** The command that was to make its worktree ready failed, so the agent itself never began. */
    private void setupFailed(String status, Evidence evidence) throws IOException {
        var said = directory.setup().said().orElse("").strip();
        commit(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                directory.endedAt().orElseGet(context.clock()::now),
                evidence.withNote("the setup of its worktree failed with exit status %s: %s"
                        .formatted(status, said.substring(Math.max(0, said.length() - STDERR_TAIL)))),
                AttemptResult.none());
    }

    void stoppedBeforeStart(StopReason stop, Evidence evidence) throws IOException {
        commit(
                new RunEvent.Lost(Cause.PERCH_LOST, false),
                context.clock().now(),
                evidence.withNote("stopped by %s before it began".formatted(stop.requestedBy())),
                AttemptResult.none());
    }

    /** What a command printed is its result; what an agent printed is for its driver to read. */
    private AttemptResult result(Optional<FinalReport> last) throws IOException {
        if (last.isPresent()) return ResultCollector.collect(directory, last.get());
        if (driver.name().equals("command") || PrivateFiles.size(directory.result()) > 0)
            return ResultCollector.collect(directory);
        return AttemptResult.none();
    }

    /** The kernel counts whom it kills for want of memory; a KILL without that count is somebody else's. */
    private boolean killedForMemory(Exit exit) {
        return exit.signaled() && exit.signal() == SIGKILL && Processes.outOfMemoryKills() > outOfMemoryKills;
    }

    /** One that had not even named its conversation may not have heard what it was asked: so that is asked again. */
    private String nextPrompt(RunEvent how) throws IOException {
        if (conversation.agentState().session().isEmpty()) {
            var asked = directory.promptText();
            if (asked.isPresent()) return asked.get();
        }
        return ResumePrompt.prompt(how, conversation.agentState(), run);
    }

    private RunEvent.Lost lost(Cause cause) {
        return new RunEvent.Lost(cause, LossPolicy.mayResume(context, run));
    }

    /** An attempt that is followed by another gets that one ready first; one that is not gets its last lines in output.md. */
    private void commit(RunEvent how, Instant at, Evidence evidence, AttemptResult result) throws IOException {
        int attempt = run.latest().n();
        boolean goesOn = how instanceof RunEvent.Parked || (how instanceof RunEvent.Lost(var _, var resume) && resume);
        if (goesOn) {
            boolean again = remarked;
            remarked = true;
            if (!again) conversation.appendRemark(ResumePrompt.remark(how));
            boolean packed = context.uploader()
                    .uploadNow(run, conversation.agentState().session().or(run::sessionId));
            if (!packed && leaving && ++packings < MOST_PACKINGS)
                throw new IOException("what it takes along could not be put where others find it");
            AttemptPreparation.prepareNext(context, run, conversation.progress(), nextPrompt(how));
        }
        // who sees the end, be it elsewhere, sees all that was said before it; unless that kept the end itself back
        var _ = context.cluster().flush(run.id(), FLUSHED_WITHIN);
        context.ledger().finish(run.id(), attempt, new AttemptEnd(how, at, evidence, result, conversation.progress()));
        context.cluster().discardOrder(run.id(), attempt + 1);
        var ended = context.ledger().runs().attempts(run.id());
        if (ended.size() > attempt) return; // it goes on; somebody may have stopped it in this very moment, though
        try {
            conversation.finalizeOutput(ended.get(attempt - 1));
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "%s/%d: output.md lacks its last lines".formatted(run.id(), attempt),
                    e);
        }
    }
}
