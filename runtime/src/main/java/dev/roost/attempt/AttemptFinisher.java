package dev.roost.attempt;

import dev.roost.agents.AgentOutput;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.attempt.core.AttemptAction;
import dev.roost.attempt.core.AttemptAction.EndKind;
import dev.roost.attempt.core.Observation.AttemptRemains;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptEnd;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.StartedProcesses;
import dev.roost.model.Evidence;
import dev.roost.model.Exit;
import dev.roost.model.RunEvent;
import dev.roost.os.Processes;
import dev.roost.output.ResultCollector;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Collects what an attempt leaves, and commits its end with its evidence, its result and the next attempt if there is one. */
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
    private Optional<Evidence> collected = Optional.empty();
    private AttemptResult result = AttemptResult.none();
    private int uploads;
    private volatile boolean foreign; // another node ended the attempt
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

    /** Reads the output to its end and collects the result; all processes are gone but the {@code unkillable}. */
    AttemptRemains collect(Optional<Exit> exit, Evidence evidence, List<String> unkillable) throws IOException {
        // an attempt that ended while no daemon ran did not work until now
        exit.flatMap(_ -> directory.endedAt())
                .or(() -> evidence.active().isEmpty() ? evidence.lastSignOfLife() : Optional.empty())
                .ifPresent(time::ended);
        conversation.drain(exit);
        var report = conversation.finalReport();
        collected = Optional.of(evidence);
        result = result(report);
        return new AttemptRemains(
                report,
                result.bytes() > 0,
                setupFailure(),
                exit.filter(this::killedForMemory).isPresent(),
                AttemptPreparation.canContinue(context, run),
                conversation.agentState().limit().flatMap(AgentOutput.RateLimit::until),
                context.ledger().time(),
                new AttemptHistoryReader(context, run).history(),
                unkillable,
                directory.fenced().map(mark -> "it was ended at %s: %s".formatted(mark.at(), mark.why())));
    }

    private Optional<String> setupFailure() throws IOException {
        var status = directory.setup().failed();
        if (status.isEmpty()) return Optional.empty();
        var output = directory.setup().output().orElse("").strip();
        return Optional.of("the setup of its worktree failed with exit status %s: %s"
                .formatted(status.get(), output.substring(Math.max(0, output.length() - STDERR_TAIL))));
    }

    /** The result of the final report. Without a report, the result file; for a command, its output. */
    private AttemptResult result(Optional<FinalReport> report) throws IOException {
        if (report.isPresent()) return ResultCollector.collect(directory, report.get());
        if (driver.abilities().plainProgram() || PrivateFiles.size(directory.result()) > 0)
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

    /**
     * Prepares the next attempt, if there is one, before it commits the end; otherwise writes the last lines of output.md.
     * {@code unstarted}: the evidence of an attempt that left nothing.
     */
    void commit(AttemptAction.Finish end, Supplier<Evidence> unstarted) throws IOException {
        int attempt = run.latest().n();
        if (end.how().continues()) prepareNext(end);
        // a reader on any node must see all output before the end; the timeout keeps the flush from delaying the end
        var _ = context.output().flush(run.id(), FLUSH_TIMEOUT);
        context.ledger().finish(run.id(), attempt, record(end, collected.orElseGet(unstarted)));
        context.orders().discard(run.id(), attempt + 1);
        var ended = context.ledger().runs().attempts(run.id());
        foreign = !context.membership().ran(ended.get(attempt - 1));
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

    boolean isForeign() {
        return foreign;
    }

    private AttemptEnd record(AttemptAction.Finish end, Evidence evidence) {
        var now = context.clock().now();
        var at = switch (end.kind()) {
            case EXITED, NOT_STARTED -> directory.endedAt().orElse(now);
            case VANISHED, MOVED -> now;
        };
        var kept = switch (end.kind()) {
            case EXITED, VANISHED -> result;
            case MOVED, NOT_STARTED -> AttemptResult.none();
        };
        return new AttemptEnd(
                end.how(), at, end.note().map(evidence::withNote).orElse(evidence), kept, conversation.progress());
    }

    private void prepareNext(AttemptAction.Finish end) throws IOException {
        boolean again = remarked;
        remarked = true;
        if (!again) conversation.appendRemark(ResumePrompt.remark(end.how()));
        var session = conversation.agentState().session().or(run::sessionId);
        boolean uploaded =
                context.uploader().map(known -> known.uploadNow(run, session)).orElse(true);
        if (!uploaded && end.kind() == EndKind.MOVED && ++uploads < MAX_UPLOADS)
            throw new IOException("could not upload the files and the conversation that the next node needs");
        AttemptPreparation.prepareNext(context, run, conversation.progress(), nextPrompt(end.how()));
    }
}
