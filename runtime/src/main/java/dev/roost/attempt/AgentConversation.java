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

/** What passes between an attempt and the world: its words out, letters in, and what the ledger is told of both. */
final class AgentConversation implements AutoCloseable {

    private static final Duration SAVE_EVERY = Duration.ofSeconds(1);

    /** The time it was at work is worth saving even when nothing else is new. */
    private static final Duration SAVE_ANYHOW = Duration.ofMinutes(5);

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
        // the last, as it is what has to be closed; a command needs no reading, and so not its job either
        this.recorder = new OutputRecorder(
                context,
                run,
                driver.name().equals("command")
                        ? Optional.empty()
                        : driver.dialog(AttemptPreparation.of(context, run, directory)));
    }

    /** Carries words both ways; true if the agent had something to say. */
    boolean pump() throws IOException {
        // after its last word it hears no more, not even if it takes that back
        if (messagesArrived && driver.abilities().steer() && finalReport().isEmpty() && !inputWriter.ended())
            deliverMessages();
        boolean news = recorder.consumeNew();
        inputWriter.send(recorder.takeInputLines());
        if (context.clock().monotonicNanos() >= nextSaveAt()) save();
        return news;
    }

    /** What cannot be looked at or written down now is looked at the next time; what was told is not told again. */
    private void deliverMessages() throws IOException {
        messagesArrived = false; // first: more may come meanwhile
        try {
            for (var message : context.ledger().messages().of(run.id(), attempt))
                if (deliveredMessages.add(message.id())) recorder.sendMessage(message);
        } catch (IOException | RuntimeException e) {
            messagesArrived = true;
            throw e;
        }
    }

    /** Somebody has written. */
    void messagesArrived() {
        messagesArrived = true;
    }

    /** Its processes are there; the ledger knows. */
    void markWorking() {
        if (phase == Phase.STARTING) phase = Phase.WORKING;
    }

    /** Hears all that is left to hear: the process is over. */
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

    /** Used by this attempt, priced by our own table where its program tells no cost. */
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

    /** When progress is to be saved next. */
    long nextSaveAt() {
        boolean news = !saved.position().equals(recorder.position())
                || !saved.usage().equals(usage())
                || !(saved.sessionId().equals(agentState().session())
                        || run.sessionId().equals(agentState().session()));
        return savedAt + (news ? SAVE_EVERY : SAVE_ANYHOW).toNanos();
    }

    void save() {
        var now = progress();
        context.ledger().recordProgress(run.id(), attempt, now);
        saved = now;
        savedAt = context.clock().monotonicNanos();
    }

    /** Tells the ledger where the attempt is, if that is news. */
    void setPhase(Phase where) {
        var asked = where == Phase.NEEDS_INPUT ? agentState().question() : Optional.<Question>empty();
        if (where == phase && asked.equals(question)) return;
        time.waiting(false); // one question's wait is not the next one's
        time.waiting(where == Phase.NEEDS_INPUT);
        save(); // with the time it was at work until now
        context.ledger().recordPhase(run.id(), attempt, where, asked);
        phase = where;
        question = asked;
    }

    Phase phase() {
        return phase;
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
