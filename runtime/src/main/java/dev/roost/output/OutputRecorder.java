package dev.roost.output;

import dev.roost.agents.AgentInput;
import dev.roost.agents.AgentOutput;
import dev.roost.agents.AgentProtocol;
import dev.roost.agents.AgentState;
import dev.roost.agents.driver.Drivers;
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
import dev.roost.node.SharedFileName;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Records the output of one attempt: turns its raw stream into output.md, transcript.jsonl and the agent's state. The ledger keeps
 * the stream position; a new recorder continues from there.
 */
public final class OutputRecorder implements AutoCloseable {

    private static final long MAX_READ = 1 << 20;
    private static final int FLUSH_BYTES = 1 << 16;
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(10);

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
        context.output()
                .becomeWriter(
                        run.id(), attempt, run.status().ended(), new StreamPosition(0, output.length(), transcribed));
        if (protocol.isPresent()) replay(protocol.get(), out, writtenPosition.outOffset());
    }

    /** Parses again what an earlier daemon has already recorded, to restore the agent's state. */
    private void replay(AgentProtocol protocol, Path out, long until) throws IOException {
        var messages = context.ledger().messages().of(run.id(), attempt).stream()
                .filter(SentMessage::delivered)
                .toList();
        messages.forEach(message -> protocol.encode(toInput(message)));
        if (until > 0)
            new RawStream(out, 0, until).lines(Long.MAX_VALUE, false, line -> consumeSilently(protocol, line));
        messages.forEach(message -> message.questionId()
                .ifPresent(question -> agentState = agentState.apply(new AgentOutput.QuestionClosed(question))));
    }

    private void consumeSilently(AgentProtocol protocol, String line) {
        for (var parsed : protocol.parseLine(line)) {
            agentState = agentState.apply(parsed);
            queueInput(parsed);
        }
    }

    /** Records some of the new output; false if there was none. */
    public boolean consumeNew() throws IOException {
        boolean hasOutput = advance(MAX_READ, false);
        if (hasOutput) context.changes().outputGrew(run.id());
        return hasOutput;
    }

    /** Records all remaining output, including an incomplete last line; the process has ended. */
    public void drain() throws IOException {
        advance(Long.MAX_VALUE, true);
    }

    private boolean advance(long most, boolean last) throws IOException {
        flush();
        boolean hasOutput = protocol.isEmpty()
                ? raw.bytes(most, output::append)
                : raw.lines(most, last, line -> {
                    recordOutput(protocol.get().parseLine(line));
                    if (output.waiting() > FLUSH_BYTES) flush();
                });
        flush();
        return hasOutput;
    }

    /** Records the exit, from which some protocols derive the final report; once, though the commit of the end may be retried. */
    public void agentExited(Exit exit) throws IOException {
        if (protocol.isEmpty() || agentExited) return;
        agentExited = true;
        recordOutput(protocol.get().onExit(exit));
        flush();
    }

    /** Encodes a message in the agent's protocol and records it. */
    public void sendMessage(SentMessage message) throws IOException {
        if (protocol.isEmpty()) return;
        recordOutput(protocol.get().encode(toInput(message)));
        flush();
    }

    private static AgentInput toInput(SentMessage message) {
        return switch (message.kind()) {
            case WORDS -> new AgentInput.UserMessage(message.key(), message.body());
            case ALLOW ->
                new AgentInput.PermissionReply(
                        message.key(), message.questionId().orElseThrow(), true, message.body());
            case DENY ->
                new AgentInput.PermissionReply(
                        message.key(), message.questionId().orElseThrow(), false, message.body());
            case ANSWER ->
                new AgentInput.QuestionReply(message.key(), message.questionId().orElseThrow(), message.body());
        };
    }

    /** Applies the outputs to the state first, so that a full disk cannot lose them. */
    private void recordOutput(List<AgentOutput> outputs) {
        for (var parsed : outputs) {
            agentState = agentState.apply(parsed);
            queueInput(parsed);
            output.add(OutputRenderer.text(parsed));
            transcript.ifPresent(file -> file.add(
                    OutputRenderer.json(parsed, attempt, context.clock().now())));
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
        if (writtenPosition.outputBytes() != before) context.output().outputGrew(run.id());
    }

    private void queueInput(AgentOutput parsed) {
        switch (parsed) {
            case AgentOutput.StdinLine(var key, var line) -> pendingInput.add(new InputLine(0, key, Optional.of(line)));
            case AgentOutput.StdinEnd _ -> pendingInput.add(new InputLine(0, InputLine.END, Optional.empty()));
            default -> {}
        }
    }

    /** Returns the pending input lines for the agent and clears them. */
    public List<InputLine> takeInputLines() {
        var lines = List.copyOf(pendingInput);
        pendingInput.clear();
        return lines;
    }

    public AgentState agentState() {
        return agentState;
    }

    /** The position up to which the stream is recorded. */
    public StreamPosition position() {
        return writtenPosition;
    }

    /** Adds a remark of Roost to the agent's output. */
    public void appendRemark(String text) throws IOException {
        output.add("\n---\n" + text + "\n\n");
        flush();
    }

    /** Writes the last lines of output.md from the ended attempt in the ledger. Idempotent. */
    public void finalizeOutput(AttemptRecord ended) throws IOException {
        var directory = context.home().run(run.id()).attempt(ended.n());
        output.add("\n---\n%s\n".formatted(ResultCollector.inOneLine(ended)));
        if (Drivers.of(run.driver()).abilities().plainProgram() && !ResultCollector.isOutputResult(directory)) {
            output.add("\n"
                    + context.ledger()
                            .runs()
                            .result(run.id(), ended.n())
                            .orElse("The result is in " + directory.result()));
        }
        flush();
        if (!context.output().flush(run.id(), FLUSH_TIMEOUT)) return;
        if (ended.resultBytes() > AttemptResult.LEDGER_LIMIT
                && context.output().uploadInterval().isPresent()) uploadResult(ended.n(), directory.result());
        context.ledger().markOutputFinal(run.id(), ended.n());
    }

    /** Uploads a result that is too long for the ledger, so that other nodes can read it. */
    private void uploadResult(int ended, Path result) throws IOException {
        if (!PrivateFiles.exists(result)) return;
        try (var channel = PrivateFiles.open(result, StandardOpenOption.READ)) {
            context.output()
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
        context.output().stopWriting(run.id());
        output.close();
        if (transcript.isPresent()) transcript.get().close();
    }
}
