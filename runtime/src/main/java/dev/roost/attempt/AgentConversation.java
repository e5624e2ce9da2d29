package dev.roost.attempt;

import dev.roost.agents.AgentState;
import dev.roost.agents.Driver;
import dev.roost.agents.FinalReport;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.AttemptProgress;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.model.Exit;
import dev.roost.model.Phase;
import dev.roost.model.Question;
import dev.roost.model.Usage;
import dev.roost.output.OutputRecorder;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Reads the output of one attempt, delivers messages to it, and saves its progress and phase in the ledger. */
final class AgentConversation implements AutoCloseable {

    private static final Duration SAVE_EVERY = Duration.ofSeconds(1);

    /** Saves the active time at this interval even if nothing else has changed. */
    private static final Duration SAVE_IDLE_EVERY = Duration.ofMinutes(5);

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final Driver driver;
    private final ActiveTime time;
    private final OutputRecorder recorder;
    private final AgentInputWriter inputWriter;
    private final Set<Long> deliveredMessages = new HashSet<>();
    private volatile boolean messagesArrived = true;
    private Phase phase;
    private Optional<Question> question;
    private AttemptProgress saved;
    private long savedAt;

    AgentConversation(RuntimeContext context, RunRecord run, AttemptDirectory directory, Driver driver, ActiveTime time)
            throws IOException {
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.driver = driver;
        this.time = time;
        this.inputWriter = new AgentInputWriter(context, run, directory);
        this.phase = run.latest().phase().orElse(Phase.STARTING);
        this.question = run.latest().asked().map(AttemptRecord.PendingQuestion::question);
        this.saved = run.latest().progress();
        this.savedAt = context.clock().monotonicNanos() - SAVE_EVERY.toNanos();
        context.ledger().messages().of(run.id(), attempt).stream()
                .filter(SentMessage::delivered)
                .forEach(message -> deliveredMessages.add(message.id()));
        // opened last, as it must be closed; the output of a command needs no protocol
        this.recorder = new OutputRecorder(
                context,
                run,
                driver.abilities().plainProgram()
                        ? Optional.empty()
                        : driver.dialog(AttemptPreparation.of(context, run, directory)));
    }

    /** Delivers messages and reads new output; true if there was output. */
    boolean pump() throws IOException {
        // an agent gets no more messages after its final report, not even if it withdraws the report
        if (messagesArrived && driver.abilities().steer() && finalReport().isEmpty() && !inputWriter.ended())
            deliverMessages();
        boolean hasOutput = recorder.consumeNew();
        inputWriter.send(recorder.takeInputLines());
        if (context.clock().monotonicNanos() >= nextSaveAt()) save();
        return hasOutput;
    }

    /** Delivers each message once. If reading or writing fails, the next step tries the remaining ones. */
    private void deliverMessages() throws IOException {
        messagesArrived = false; // cleared first: more messages may arrive meanwhile
        try {
            for (var message : context.ledger().messages().of(run.id(), attempt))
                if (deliveredMessages.add(message.id())) recorder.sendMessage(message);
        } catch (IOException | RuntimeException e) {
            messagesArrived = true;
            throw e;
        }
    }

    /** Tells the conversation that there are new messages in the ledger. */
    void messagesArrived() {
        messagesArrived = true;
    }

    /** Sets the phase to working; the ledger does the same when it records the start. */
    void markWorking() {
        if (phase == Phase.STARTING) phase = Phase.WORKING;
    }

    /** Reads the remaining output after the process has ended. */
    void drain(Optional<Exit> exit) throws IOException {
        recorder.drain();
        if (exit.isPresent()) recorder.agentExited(exit.get());
    }

    AgentState agentState() {
        return recorder.agentState();
    }

    Optional<FinalReport> finalReport() {
        return recorder.agentState().finalReport();
    }

    long outputLength() {
        return recorder.position().outputBytes();
    }

    /** The usage of this attempt. If the agent's program reports no cost, Roost's price table sets it. */
    Usage usage() {
        var usage = agentState().usage();
        if (usage.costMicros().isPresent()) return usage;
        return agentState()
                .model()
                .flatMap(model -> context.config().prices().cost(model, usage))
                .map(usage::withCost)
                .orElse(usage);
    }

    AttemptProgress progress() {
        return new AttemptProgress(
                recorder.position(),
                usage(),
                time.active(),
                time.waited(),
                agentState().session());
    }

    /** When to save the progress next. */
    long nextSaveAt() {
        boolean changed = !saved.position().equals(recorder.position())
                || !saved.usage().equals(usage())
                || !(saved.sessionId().equals(agentState().session())
                        || run.sessionId().equals(agentState().session()));
        return savedAt + (changed ? SAVE_EVERY : SAVE_IDLE_EVERY).toNanos();
    }

    void save() {
        var now = progress();
        context.ledger().recordProgress(run.id(), attempt, now);
        saved = now;
        savedAt = context.clock().monotonicNanos();
    }

    /** Records the phase in the ledger if it has changed. */
    void setPhase(Phase newPhase) {
        var asked = newPhase == Phase.NEEDS_INPUT ? agentState().question() : Optional.<Question>empty();
        if (newPhase == phase && asked.equals(question)) return;
        time.waiting(false); // the wait for each question is measured separately
        time.waiting(newPhase == Phase.NEEDS_INPUT);
        save(); // with the active time so far
        context.ledger().recordPhase(run.id(), attempt, newPhase, asked);
        phase = newPhase;
        question = asked;
    }

    Phase phase() {
        return phase;
    }

    /** The question that the ledger has. */
    Optional<Question> question() {
        return question;
    }

    void appendRemark(String text) throws IOException {
        recorder.appendRemark(text);
    }

    void finalizeOutput(AttemptRecord ended) throws IOException {
        recorder.finalizeOutput(ended);
    }

    @Override
    public void close() throws IOException {
        recorder.close();
    }
}
