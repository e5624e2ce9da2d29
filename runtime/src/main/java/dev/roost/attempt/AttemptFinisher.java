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

/** Determines the outcome of an attempt and commits it with its evidence, its result and the next attempt if there is one. */
final class AttemptFinisher {

    private static final int MAX_UPLOADS = 10;
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(2);
    private static final System.Logger LOG = System.getLogger(AttemptFinisher.class.getName());

    private static final Duration MIN_REPORTED_SLEEP = Duration.ofSeconds(1);
    private static final int STDERR_TAIL = 4096;
    private static final int SIGKILL = 9;

    private final RuntimeContext context;
    private final RunRecord run;
    private final Driver driver;
    private final AttemptDirectory directory;
    private final ActiveTime time;
    private final AgentConversation conversation;
    private final long outOfMemoryKills = Processes.outOfMemoryKills();
    private boolean leaving; // moves to another node, so its uploads must succeed before it ends here
    private int uploads;
    private boolean remarked; // the interruption is in the output; a retry must not repeat it

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

    /** The evidence of an end. {@code witnessed}: this daemon saw the end; otherwise its duration is unknown. */
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
                        .filter(slept -> slept.compareTo(MIN_REPORTED_SLEEP) > 0),
                stderr,
                List.of(),
                Optional.empty());
    }

    /** Ends an attempt whose perch recorded the exit and whose processes are gone. */
    void exited(Exit exit, Evidence evidence) throws IOException {
        conversation.drain(Optional.of(exit));
        var report = conversation.finalReport();
        var result = result(report);
        boolean outOfMemory = report.isEmpty() && killedForMemory(exit);
        var setup = directory.setup().failed();
        if (setup.isPresent()) {
            setupFailed(setup.get(), evidence);
            return;
        }
        var outcome = driver.outcomeOf(exit, report, result.bytes() > 0);
        RunEvent how = new RunEvent.Exited(outcome);
        if (outOfMemory) how = lost(Cause.OUT_OF_MEMORY);
        else if (outcome.cause() == Cause.RATE_LIMITED && AttemptPreparation.canContinue(context, run))
            how = new RunEvent.Parked(RateLimitDelay.until(context, run, conversation.agentState()));
        var noted = report.isPresent() && report.get() instanceof FinalReport.Failure(var _, var message)
                ? evidence.withNote(message)
                : evidence;
        commit(how, directory.endedAt().orElseGet(context.clock()::now), noted, result);
    }

    /** Ends an attempt whose perch left no exit record; a final report before that still counts. */
    void vanished(Cause cause, Evidence evidence) throws IOException {
        conversation.drain(Optional.empty());
        var report = conversation.finalReport();
        var result = result(report);
        var how = report.isPresent()
                ? new RunEvent.Exited(driver.outcomeOf(new Exit(0, false), report, result.bytes() > 0))
                : lost(cause);
        commit(how, context.clock().now(), evidence, result);
    }

    /** Ends an attempt because its node is drained. It continues on another node unless it succeeded before it was stopped. */
    void moved(Optional<Exit> exit, Evidence evidence) throws IOException {
        leaving = true;
        conversation.drain(exit);
        if (conversation.finalReport().isPresent() && conversation.finalReport().get() instanceof FinalReport.Success) {
            exited(new Exit(0, false), evidence); // the final report decides; the exit only shows the stop
            return;
        }
        commit(
                new RunEvent.Lost(Cause.WORKER_LOST, true),
                context.clock().now(),
                evidence.withNote("the operator drained its node %s; it continues on another node"
                        .formatted(context.cluster().self())),
                AttemptResult.none());
    }

    /** Whether the attempt may be stopped and continued on another node. */
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

    /** Ends an attempt whose worktree setup failed, so that the agent never started. */
    private void setupFailed(String status, Evidence evidence) throws IOException {
        var output = directory.setup().said().orElse("").strip();
        commit(
                new RunEvent.Exited(new Outcome.Failed(Cause.SPAWN_FAILED)),
                directory.endedAt().orElseGet(context.clock()::now),
                evidence.withNote("the setup of its worktree failed with exit status %s: %s"
                        .formatted(status, output.substring(Math.max(0, output.length() - STDERR_TAIL)))),
                AttemptResult.none());
    }

    void stoppedBeforeStart(StopReason stop, Evidence evidence) throws IOException {
        commit(
                new RunEvent.Lost(Cause.PERCH_LOST, false),
                context.clock().now(),
                evidence.withNote("stopped by %s before it began".formatted(stop.requestedBy())),
                AttemptResult.none());
    }

    /** The result of the final report. Without a report, the result file; for a command, its output. */
    private AttemptResult result(Optional<FinalReport> report) throws IOException {
        if (report.isPresent()) return ResultCollector.collect(directory, report.get());
        if (driver.name().equals("command") || PrivateFiles.size(directory.result()) > 0)
            return ResultCollector.collect(directory);
        return AttemptResult.none();
    }

    /** Whether the kernel killed the agent for lack of memory: it counts such kills; any other SIGKILL came from a process. */
    private boolean killedForMemory(Exit exit) {
        return exit.signaled() && exit.signal() == SIGKILL && Processes.outOfMemoryKills() > outOfMemoryKills;
    }

    /** The prompt of the next attempt. An agent without a conversation id may not have read its prompt, so it gets that again. */
    private String nextPrompt(RunEvent how) throws IOException {
        if (conversation.agentState().session().isEmpty()) {
            var prompt = directory.promptText();
            if (prompt.isPresent()) return prompt.get();
        }
        return ResumePrompt.prompt(how, conversation.agentState(), run);
    }

    private RunEvent.Lost lost(Cause cause) {
        return new RunEvent.Lost(cause, LossPolicy.mayResume(context, run));
    }

    /** Prepares the next attempt, if there is one, before it commits the end; otherwise writes the last lines of output.md. */
    private void commit(RunEvent how, Instant at, Evidence evidence, AttemptResult result) throws IOException {
        int attempt = run.latest().n();
        boolean continues =
                how instanceof RunEvent.Parked || (how instanceof RunEvent.Lost(var _, var resume) && resume);
        if (continues) {
            boolean again = remarked;
            remarked = true;
            if (!again) conversation.appendRemark(ResumePrompt.remark(how));
            boolean uploaded = context.uploader()
                    .uploadNow(run, conversation.agentState().session().or(run::sessionId));
            if (!uploaded && leaving && ++uploads < MAX_UPLOADS)
                throw new IOException("could not upload the files and the conversation that the next node needs");
            AttemptPreparation.prepareNext(context, run, conversation.progress(), nextPrompt(how));
        }
        // a reader on any node must see all output before the end; the timeout keeps the flush from delaying the end
        var _ = context.cluster().flush(run.id(), FLUSH_TIMEOUT);
        context.ledger().finish(run.id(), attempt, new AttemptEnd(how, at, evidence, result, conversation.progress()));
        context.cluster().discardOrder(run.id(), attempt + 1);
        var ended = context.ledger().runs().attempts(run.id());
        if (ended.size() > attempt) return; // it continues; or a stop at this moment ended the new attempt
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
