package dev.roost.output;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AgentState;
import dev.roost.engine.RuntimeContext;
import dev.roost.home.AppendFile;
import dev.roost.home.PrivateFiles;
import dev.roost.home.RawStream;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SentMessage;
import dev.roost.ledger.record.StreamPosition;
import dev.roost.model.Exit;
import dev.roost.sharedfiles.SharedFileName;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Listens to one attempt: turns its raw stream into output.md and transcript.jsonl, and into what was heard. How far it
 * got is a position that the ledger keeps; a new scribe goes on from there.
 */
public final class OutputRecorder implements AutoCloseable {

    private static final long MOST_AT_ONCE = 1 << 20;
    private static final int ENOUGH_TO_WRITE = 1 << 16;
    private static final Duration FLUSHED_WITHIN = Duration.ofSeconds(10);

    private final RuntimeContext context;
    private final RunRecord run;
    private final int attempt;
    private final Optional<AgentProtocol> protocol;
    private final RawStream raw;
    private final AppendFile output;
    private final Optional<AppendFile> transcript;
    private final List<InputLine> pendingInput = new ArrayList<>();
    private volatile AgentState agentState = AgentState.NOTHING;
    private volatile StreamPosition writtenPosition;
    private boolean agentExited;

    public OutputRecorder(RuntimeContext context, RunRecord run, Optional<AgentProtocol> protocol) throws IOException {
        this.context = context;
        this.run = run;
        this.attempt = run.latest().n();
        this.protocol = protocol;
        var directory = context.home().run(run.id());
        var position = run.latest().position();
        this.writtenPosition = position;
        this.raw = new RawStream(directory.attempt(attempt).out(), position.outOffset());
        this.output = new AppendFile(directory.output(), position.outputBytes());
        try {
            this.transcript = protocol.isPresent()
                    ? Optional.of(new AppendFile(directory.transcript(), position.transcriptBytes()))
                    : Optional.empty();
        } catch (IOException e) {
            output.close();
            throw e;
        }
        try {
            openForWriting(directory.attempt(attempt).out());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void openForWriting(Path out) throws IOException {
        long transcribed = transcript.isPresent()
                ? transcript.get().length()
                : PrivateFiles.size(context.home().run(run.id()).transcript());
        context.cluster()
                .becomeWriter(
                        run.id(), attempt, run.status().ended(), new StreamPosition(0, output.length(), transcribed));
        if (protocol.isPresent()) replay(protocol.get(), out, writtenPosition.outOffset());
    }

    /** Hears again what another daemon's scribe has heard and written down already. */
    private void replay(AgentProtocol protocol, Path out, long until) throws IOException {
        var messages = context.ledger().messages().of(run.id(), attempt).stream()
                .filter(SentMessage::delivered)
                .toList();
        messages.forEach(letter -> protocol.encode(message(letter)));
        if (until > 0)
            new RawStream(out, 0, until).lines(Long.MAX_VALUE, false, line -> consumeSilently(protocol, line));
        messages.forEach(letter -> letter.questionId()
                .ifPresent(question -> agentState = agentState.apply(new AgentOutput.QuestionClosed(question))));
    }

    private void consumeSilently(AgentProtocol protocol, String line) {
        for (var said : protocol.parseLine(line)) {
            agentState = agentState.apply(said);
            queueInput(said);
        }
    }

    /** Carries some of what is new; false if there was nothing. */
    public boolean consumeNew() throws IOException {
        boolean news = advance(MOST_AT_ONCE, false);
        if (news) context.changes().notifyListeners(run.id());
        return news;
    }

    /** Carries all of it: nobody writes any more. */
    public void drain() throws IOException {
        advance(Long.MAX_VALUE, true);
    }

    private boolean advance(long most, boolean last) throws IOException {
        flush();
        boolean news = protocol.isEmpty()
                ? raw.bytes(most, output::append)
                : raw.lines(most, last, line -> {
                    recordOutput(protocol.get().parseLine(line));
                    if (output.waiting() > ENOUGH_TO_WRITE) flush();
                });
        flush();
        return news;
    }

    /** What the end of the process says, for agents whose words alone do not; once, though its commit may be tried again. */
    public void agentExited(Exit exit) throws IOException {
        if (protocol.isEmpty() || agentExited) return;
        agentExited = true;
        recordOutput(protocol.get().onExit(exit));
        flush();
    }

    /** Puts a letter into the agent's language. */
    public void sendMessage(SentMessage letter) throws IOException {
        if (protocol.isEmpty()) return;
        recordOutput(protocol.get().encode(message(letter)));
        flush();
    }

    private static AgentInput message(SentMessage letter) {
        return switch (letter.kind()) {
            case WORDS -> new AgentInput.UserMessage(letter.key(), letter.body());
            case ALLOW ->
                new AgentInput.PermissionReply(letter.key(), letter.questionId().orElseThrow(), true, letter.body());
            case DENY ->
                new AgentInput.PermissionReply(letter.key(), letter.questionId().orElseThrow(), false, letter.body());
            case ANSWER ->
                new AgentInput.QuestionReply(letter.key(), letter.questionId().orElseThrow(), letter.body());
        };
    }

    /** Heard is heard, whether there is room to write it down or not. */
    private void recordOutput(List<AgentOutput> all) {
        for (var said : all) {
            agentState = agentState.apply(said);
            queueInput(said);
            output.add(OutputRenderer.text(said));
            transcript.ifPresent(file ->
                    file.add(OutputRenderer.json(said, attempt, context.clock().now())));
        }
    }

    private void flush() throws IOException {
        output.flush();
        if (transcript.isPresent()) transcript.get().flush();
        var before = writtenPosition.outputBytes();
        writtenPosition = new StreamPosition(
                raw.offset(),
                output.length(),
                transcript.map(AppendFile::length).orElse(0L));
        if (writtenPosition.outputBytes() != before) context.cluster().outputGrew(run.id());
    }

    private void queueInput(AgentOutput said) {
        switch (said) {
            case AgentOutput.StdinLine(var key, var line) -> pendingInput.add(new InputLine(0, key, Optional.of(line)));
            case AgentOutput.StdinEnd _ -> pendingInput.add(new InputLine(0, InputLine.END, Optional.empty()));
            default -> {}
        }
    }

    /** Lines for the agent that came up since the last time this was asked. */
    public List<InputLine> takeInputLines() {
        var lines = List.copyOf(pendingInput);
        pendingInput.clear();
        return lines;
    }

    public AgentState agentState() {
        return agentState;
    }

    /** How far what was heard is written down. */
    public StreamPosition position() {
        return writtenPosition;
    }

    /** Adds a line of our own between the agent's. */
    public void appendRemark(String text) throws IOException {
        output.add("\n---\n" + text + "\n\n");
        flush();
    }

    /** Ends output.md with what became of the attempt, as the ledger has it; to do so again is to do it once. */
    public void finalizeOutput(AttemptRecord ended) throws IOException {
        var directory = context.home().run(run.id()).attempt(ended.n());
        output.add("\n---\n%s\n".formatted(ResultCollector.inOneLine(ended)));
        if (run.driver().equals("command") && !ResultCollector.isOutputResult(directory)) {
            output.add("\n"
                    + context.ledger()
                            .runs()
                            .result(run.id(), ended.n())
                            .orElse("The result is in " + directory.result()));
        }
        flush();
        if (!context.cluster().flush(run.id(), FLUSHED_WITHIN)) return;
        if (context.cluster().isClustered() && ended.resultBytes() > AttemptResult.LEDGER_LIMIT)
            uploadResult(ended.n(), directory.result());
        context.ledger().markOutputFinal(run.id(), ended.n());
    }

    /** What is not in the ledger, others find nowhere else. */
    private void uploadResult(int ended, Path result) throws IOException {
        if (!PrivateFiles.exists(result)) return;
        try (var channel = PrivateFiles.open(result, StandardOpenOption.READ)) {
            context.cluster()
                    .upload(
                            run.id(),
                            attempt,
                            run.status().ended(),
                            SharedFileName.result(ended),
                            Channels.newInputStream(channel));
        }
    }

    @Override
    public void close() throws IOException {
        context.cluster().stopWriting(run.id());
        output.close();
        if (transcript.isPresent()) transcript.get().close();
    }
}
