package dev.roost.house;

import dev.roost.agents.Dialog;
import dev.roost.agents.Heard;
import dev.roost.agents.Message;
import dev.roost.agents.Said;
import dev.roost.ledger.Attempt;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Line;
import dev.roost.ledger.Position;
import dev.roost.ledger.Result;
import dev.roost.ledger.Run;
import dev.roost.run.Exit;
import dev.roost.shelf.ShelfName;
import dev.roost.supervisor.PrivateFiles;
import dev.roost.supervisor.RawStream;
import dev.roost.supervisor.SavedFile;
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
final class Scribe implements AutoCloseable {

    private static final long MOST_AT_ONCE = 1 << 20;
    private static final int ENOUGH_TO_WRITE = 1 << 16;
    private static final Duration FLUSHED_WITHIN = Duration.ofSeconds(10);

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final Optional<Dialog> dialog;
    private final RawStream raw;
    private final SavedFile output;
    private final Optional<SavedFile> transcript;
    private final List<Line> toSend = new ArrayList<>();
    private volatile Heard heard = Heard.NOTHING;
    private volatile Position written;
    private boolean over;

    Scribe(Rooms rooms, Run run, Optional<Dialog> dialog) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.dialog = dialog;
        var directory = rooms.home().run(run.id());
        var position = run.latest().position();
        this.written = position;
        this.raw = new RawStream(directory.attempt(attempt).out(), position.outOffset());
        this.output = new SavedFile(directory.output(), position.outputBytes());
        try {
            this.transcript = dialog.isPresent()
                    ? Optional.of(new SavedFile(directory.transcript(), position.transcriptBytes()))
                    : Optional.empty();
        } catch (IOException e) {
            output.close();
            throw e;
        }
        try {
            begin(directory.attempt(attempt).out());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void begin(Path out) throws IOException {
        long transcribed = transcript.isPresent()
                ? transcript.get().length()
                : PrivateFiles.size(rooms.home().run(run.id()).transcript());
        rooms.peers().lead(run.id(), attempt, run.status().ended(), new Position(0, output.length(), transcribed));
        if (dialog.isPresent()) remember(dialog.get(), out, written.outOffset());
    }

    /** Hears again what another daemon's scribe has heard and written down already. */
    private void remember(Dialog dialog, Path out, long until) throws IOException {
        var letters = rooms.ledger().letters().of(run.id(), attempt).stream()
                .filter(Letter::delivered)
                .toList();
        letters.forEach(letter -> dialog.tell(message(letter)));
        if (until > 0) new RawStream(out, 0, until).lines(Long.MAX_VALUE, false, line -> hearQuietly(dialog, line));
        letters.forEach(
                letter -> letter.questionId().ifPresent(question -> heard = heard.and(new Said.Settled(question))));
    }

    private void hearQuietly(Dialog dialog, String line) {
        for (var said : dialog.hear(line)) {
            heard = heard.and(said);
            queue(said);
        }
    }

    /** Carries some of what is new; false if there was nothing. */
    boolean carry() throws IOException {
        boolean news = advance(MOST_AT_ONCE, false);
        if (news) rooms.changes().ring(run.id());
        return news;
    }

    /** Carries all of it: nobody writes any more. */
    void drain() throws IOException {
        advance(Long.MAX_VALUE, true);
    }

    private boolean advance(long most, boolean last) throws IOException {
        flush();
        boolean news = dialog.isEmpty()
                ? raw.bytes(most, output::append)
                : raw.lines(most, last, line -> {
                    note(dialog.get().hear(line));
                    if (output.waiting() > ENOUGH_TO_WRITE) flush();
                });
        flush();
        return news;
    }

    /** What the end of the process says, for agents whose words alone do not; once, though its commit may be tried again. */
    void over(Exit exit) throws IOException {
        if (dialog.isEmpty() || over) return;
        over = true;
        note(dialog.get().over(exit));
        flush();
    }

    /** Puts a letter into the agent's language. */
    void tell(Letter letter) throws IOException {
        if (dialog.isEmpty()) return;
        note(dialog.get().tell(message(letter)));
        flush();
    }

    private static Message message(Letter letter) {
        return switch (letter.kind()) {
            case WORDS -> new Message.Words(letter.key(), letter.body());
            case ALLOW ->
                new Message.Permission(letter.key(), letter.questionId().orElseThrow(), true, letter.body());
            case DENY ->
                new Message.Permission(letter.key(), letter.questionId().orElseThrow(), false, letter.body());
            case ANSWER -> new Message.Answer(letter.key(), letter.questionId().orElseThrow(), letter.body());
        };
    }

    /** Heard is heard, whether there is room to write it down or not. */
    private void note(List<Said> all) {
        for (var said : all) {
            heard = heard.and(said);
            queue(said);
            output.add(Rendering.text(said));
            transcript.ifPresent(
                    file -> file.add(Rendering.json(said, attempt, rooms.clock().now())));
        }
    }

    private void flush() throws IOException {
        output.flush();
        if (transcript.isPresent()) transcript.get().flush();
        var before = written.outputBytes();
        written = new Position(
                raw.offset(), output.length(), transcript.map(SavedFile::length).orElse(0L));
        if (written.outputBytes() != before) rooms.peers().grew(run.id());
    }

    private void queue(Said said) {
        switch (said) {
            case Said.Send(var key, var line) -> toSend.add(new Line(0, key, Optional.of(line)));
            case Said.Hangup _ -> toSend.add(new Line(0, Line.END, Optional.empty()));
            default -> {}
        }
    }

    /** Lines for the agent that came up since the last time this was asked. */
    List<Line> takeLines() {
        var lines = List.copyOf(toSend);
        toSend.clear();
        return lines;
    }

    Heard heard() {
        return heard;
    }

    /** How far what was heard is written down. */
    Position position() {
        return written;
    }

    /** Adds a line of our own between the agent's. */
    void remark(String text) throws IOException {
        output.add("\n---\n" + text + "\n\n");
        flush();
    }

    /** Ends output.md with what became of the attempt, as the ledger has it; to do so again is to do it once. */
    void seal(Attempt ended) throws IOException {
        var directory = rooms.home().run(run.id()).attempt(ended.n());
        output.add("\n---\n%s\n".formatted(Results.inOneLine(ended)));
        if (run.driver().equals("command") && !Results.saidInOutput(directory)) {
            output.add("\n"
                    + rooms.ledger()
                            .runs()
                            .result(run.id(), ended.n())
                            .orElse("The result is in " + directory.result()));
        }
        flush();
        if (!rooms.peers().flush(run.id(), FLUSHED_WITHIN)) return;
        if (rooms.peers().any() && ended.resultBytes() > Result.LEDGER_LIMIT) share(ended.n(), directory.result());
        rooms.ledger().sealed(run.id(), ended.n());
    }

    /** What is not in the ledger, others find nowhere else. */
    private void share(int ended, Path result) throws IOException {
        if (!PrivateFiles.exists(result)) return;
        try (var channel = PrivateFiles.open(result, StandardOpenOption.READ)) {
            rooms.peers()
                    .stow(
                            run.id(),
                            attempt,
                            run.status().ended(),
                            ShelfName.result(ended),
                            Channels.newInputStream(channel));
        }
    }

    @Override
    public void close() throws IOException {
        rooms.peers().leave(run.id());
        output.close();
        if (transcript.isPresent()) transcript.get().close();
    }
}
